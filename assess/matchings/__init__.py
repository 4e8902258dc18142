"""Which answers hold which nuggets of a frozen bank: judges match them, one nugget after the other."""
