"""What an operator declares: ports, parameters, accepted data, iterations."""
