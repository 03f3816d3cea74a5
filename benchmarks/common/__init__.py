"""What several benchmarks share: tasks, tables, processes."""
