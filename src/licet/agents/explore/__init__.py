"""The main job: explore a real project with ls, find, grep and read, and report what a developer asks on the first day.

May not enter: access to files other than by calls, the environment, the terminal.
"""
