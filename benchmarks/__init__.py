"""Side by side with peers and with published figures; prints ratios, never bare seconds alone."""
