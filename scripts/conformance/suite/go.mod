module bowsprit.dev/conformance

go 1.26
