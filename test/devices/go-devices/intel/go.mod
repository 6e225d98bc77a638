module bowsprit.dev/test-intel-plugins

go 1.26.0

require github.com/intel/intel-device-plugins-for-kubernetes v0.26.0

// As its own go.mod has it: the plugin API of that time.
replace (
	k8s.io/kubelet => k8s.io/kubelet v0.26.1
)
