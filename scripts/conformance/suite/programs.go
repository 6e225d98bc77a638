//go:build programs

// The programs of the suite's images, so that their modules are known.
package conformance

import (
	_ "k8s.io/kubernetes/test/images/agnhost"
	_ "k8s.io/kubernetes/test/images/nonewprivs"
)
