module bowsprit.dev/test-cri

go 1.26.4

require (
	google.golang.org/grpc v1.83.1
	k8s.io/cri-api v0.36.3
)

require (
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260610212136-7ab31c22f7ad // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
