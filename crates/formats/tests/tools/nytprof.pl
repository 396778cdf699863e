#!/usr/bin/perl
# nytprof.pl FILE: what Devel::NYTProf itself makes of a file, one line of JSON a
# function, for totals.py.

use strict;
use warnings;
use Devel::NYTProf::Data;

my $profile = Devel::NYTProf::Data->new({ filename => $ARGV[0], quiet => 1 });
my $subs = $profile->subname_subinfo_map;
for my $name (sort keys %$subs) {
    my $sub = $subs->{$name};
    my $json = $name;
    $json =~ s/([\\"])/\\$1/g;
    printf qq({"name":"%s","calls":%d,"own":%.0f,"inclusive":%.0f}\n), $json,
        $sub->calls // 0, ($sub->excl_time // 0) * 1e9, ($sub->incl_time // 0) * 1e9;
}
