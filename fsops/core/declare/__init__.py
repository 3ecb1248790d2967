"""The declaration of an operator: ports, parameters, accepted data, iterations."""
