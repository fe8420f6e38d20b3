"""What outbound brings along to show itself: the sample sessions."""
