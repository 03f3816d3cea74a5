"""Symbol layout trees into operator trees."""
