"""What is kept between two runs: choices, breakpoints and watches."""
