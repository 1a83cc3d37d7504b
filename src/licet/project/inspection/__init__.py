"""What ``licet check`` finds in a configuration: judged by its text and its lock alone, nothing started or asked."""
