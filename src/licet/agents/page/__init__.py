"""What was shown to people, as a static page: no script, nothing loaded, nothing that can be followed.

May not enter: files, the network, a browser.
"""
