"""Models of large providers behind one port, over their official SDKs, each an extra that is imported when used."""
