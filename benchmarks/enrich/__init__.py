"""What facts on chunks cost and what they tell; late chunking beside plain."""
