"""Posts of question-and-answer sites: ARQMath and Stack Exchange."""
