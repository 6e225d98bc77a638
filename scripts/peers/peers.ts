import { goSuite } from './go-suite.ts'
import type { Peer } from './peer.ts'

/** Other people's suites that the machine's toolchains can have from registries. */
export const PEERS: readonly Peer[] = [
  goSuite({
    name: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.24.1',
    what: 'all packages whose tests start a control plane',
    packages: [
      'pkg/builder',
      'pkg/cache',
      'pkg/client',
      'pkg/client/apiutil',
      'pkg/cluster',
      'pkg/controller',
      'pkg/controller/controllerutil',
      'pkg/envtest',
      'pkg/handler',
      'pkg/internal/controller',
      'pkg/internal/recorder',
      'pkg/internal/testing/controlplane',
      'pkg/internal/testing/process',
      'pkg/manager',
      'pkg/manager/internal/integration',
      'pkg/metrics/filters',
      'pkg/reconcile',
      'pkg/source',
      'pkg/webhook',
    ],
    known: {
      'pkg/client/apiutil': 'asks for binaries from the network (`DownloadBinaryAssets`), whatever lies here',
    },
  }),
  goSuite({
    name: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.1',
    what: 'definitions and their examples',
    packages: ['pkg/test/crd'],
  }),
]
