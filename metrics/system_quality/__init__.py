"""System quality: latency, throughput, index time and size, energy and cost of runs, beside their scores."""
