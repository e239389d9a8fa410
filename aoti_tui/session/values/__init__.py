"""Values of a recording: temporaries, lanes, masks, watches, and how numbers are written."""
