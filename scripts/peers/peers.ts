import { cargoSuite } from './cargo-suite.ts'
import { goSuite } from './go-suite.ts'
import { javascriptSuite } from './javascript-suite.ts'
import { mavenSuite } from './maven-suite.ts'
import type { Peer } from './peer.ts'
import { projectSuite } from './project-suite.ts'
import { pythonSuite } from './python-suite.ts'

/** The features that its tests need from a server; other TLS libraries and authentication methods are left out. */
const KUBE_RS_CLIENT = ['client', 'rustls-tls', 'ring', 'ws', 'jsonpatch', 'unstable-client']
const FROM_THE_NETWORK = 'downloads binaries from the network (`DownloadBinaryAssets`), which was not available'
const REAL_TOO = 'fails on kube-apiserver 1.36.3 as well'

const projectCalls = (domain: string, api: readonly string[]) => [
  ['init', `--domain=${domain}`, `--repo=${domain}/project`, '--skip-go-version-check'],
  ['create', 'api', ...api, '--resource', '--controller'],
]

/** Test suites of other projects. */
export const PEERS: readonly Peer[] = [
  goSuite({
    name: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.1',
    what: 'the rules of its definitions (CEL), of both channels',
    packages: ['standard', 'experimental'].map((tags) => ({ folder: 'pkg/test/cel', tags, definitions: `config/crd/${tags}` })),
    known: { TestHTTPRouteTimeouts: `expects a message of an older Kubernetes: ${REAL_TOO}` },
  }),
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
      'pkg/client/apiutil: TestApiMachinery': FROM_THE_NETWORK,
      'pkg/client/apiutil: TestLazyRestMapperProvider': FROM_THE_NETWORK,
    },
  }),
  goSuite({
    name: 'cluster-api',
    module: 'sigs.k8s.io/cluster-api',
    version: 'v1.13.6',
    what: 'all packages whose tests start a control plane',
    packages: [
      'bootstrap/kubeadm/internal/controllers',
      'controllers/clustercache',
      'controllers/crdmigrator',
      'controlplane/kubeadm/internal',
      'controlplane/kubeadm/internal/controllers',
      'internal/controllers/cluster',
      'internal/controllers/clusterclass',
      'internal/controllers/clusterresourceset',
      'internal/controllers/extensionconfig',
      'internal/controllers/machine',
      'internal/controllers/machinedeployment',
      'internal/controllers/machinehealthcheck',
      'internal/controllers/machinepool',
      'internal/controllers/machineset',
      'internal/controllers/topology/cluster',
      'internal/controllers/topology/cluster/structuredmerge',
      'internal/topology/upgrade',
      'internal/util/ssa',
      'internal/webhooks/test',
      'util/deprecated/v1beta1/patch',
      'util/patch/test',
    ],
  }),
  projectSuite({
    name: 'kubebuilder',
    what: 'the project of its book (`batch/v1 CronJob`): `init`, `create api`, and its own test',
    module: 'sigs.k8s.io/kubebuilder/v4',
    version: 'v4.10.1',
    main: '.',
    calls: projectCalls('tutorial.kubebuilder.io', ['--group=batch', '--version=v1', '--kind=CronJob']),
    tests: './internal/...',
  }),
  projectSuite({
    name: 'operator-sdk',
    what: 'the project of its tutorial (`cache/v1alpha1 Memcached`): `init`, `create api`, and its own test (with `--sources`)',
    module: 'github.com/operator-framework/operator-sdk',
    version: 'v1.42.3',
    main: './cmd/operator-sdk',
    checkout: 'operator-sdk',
    calls: projectCalls('example.com', ['--group=cache', '--version=v1alpha1', '--kind=Memcached']),
    tests: './internal/...',
  }),
  cargoSuite({
    name: 'kube-rs',
    version: '5.0.0',
    what: 'the ignored tests of the crates, which need a cluster',
    crates: [
      { name: 'kube-client', features: [...KUBE_RS_CLIENT, 'config', 'kubelet-debug'], testsUse: { name: 'kube', features: ['client'] } },
      {
        name: 'kube-runtime',
        features: ['unstable-runtime'],
        testsUse: { name: 'kube', features: ['client', 'config', 'derive', 'rustls-tls', 'ring'] },
      },
      { name: 'kube', features: [...KUBE_RS_CLIENT, 'config', 'derive', 'runtime', 'unstable-runtime'] },
    ],
    known: { from_node_proxy: 'connects to a kubelet on port 10250 of this machine: ours have free ports, which their nodes name' },
  }),
  pythonSuite({
    name: 'kopf',
    distribution: 'kopf',
    version: '1.45.2',
    what: 'its examples (end to end)',
    needs: [
      'kubernetes',
      'pykube-ng',
      'certbuilder',
      'certvalidator',
      'kmock',
      'looptime',
      'freezegun',
      'pytest-aiohttp',
      'pytest-asyncio',
      'pytest-mock',
    ],
    pytest: ['--only-e2e', '--timeout=90', 'tests/e2e'],
    apply: ['peering.yaml'],
    known: { '17-admission': 'its certificate library cannot parse the version of this OpenSSL' },
  }),
  pythonSuite({
    name: 'Python client',
    distribution: 'kubernetes',
    version: '36.0.1',
    what: 'dynamic client and end to end (these with `--sources`)',
    needs: [],
    pytest: ['--timeout=120', 'kubernetes/dynamic'],
    fromCheckout: { repository: 'python', folders: ['kubernetes/e2e_test'] },
    known: {
      custom_resources: REAL_TOO,
      cache_decoder: REAL_TOO,
      test_job_apis: REAL_TOO,
      test_format_quantity: REAL_TOO,
      proxy_ca_differs: REAL_TOO,
    },
  }),
  mavenSuite({
    name: 'Java operator SDK',
    version: '5.2.0',
    what: 'the integration tests of `operator-framework` (with `--sources`)',
    checkout: { repository: 'java-operator-sdk', module: 'operator-framework' },
    profile: 'integration-tests',
    known: {
      InformerRemoteClusterIT: 'downloads files from raw.githubusercontent.com',
      WorkflowAllFeatureIT: 'expects a Deployment that is not ready yet: ours is ready before the check',
    },
  }),
  javascriptSuite({
    name: 'JavaScript client',
    npm: '@kubernetes/client-node',
    version: '2.0.1',
    what: 'its integration tests',
    checkout: {
      repository: 'javascript',
      folder: 'src/test/integration',
      tests: ['patchNamespace', 'cpFromPod', 'portForward', 'watchPods', 'informerReconnect'],
    },
    modules: ['index', 'watch', 'cache', 'portforward', 'cp'],
  }),
]
