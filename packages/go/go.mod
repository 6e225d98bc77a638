module bowsprit.dev/bowsprittest

go 1.21
