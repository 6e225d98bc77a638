import type { ImagePrograms, Program } from '../../src/node/programs/program.ts'
import { certifying, makeCertificates, serve } from './programs.ts'

/** A chart of another project, and the configuration that it needs. */
export interface OthersChart {
  readonly name: string
  /** Its path among the checkouts. */
  readonly at: string
  /** Values, by their paths. */
  readonly set?: Readonly<Record<string, string>>
  /** Programs for its images, where one of its scripts needs their output. */
  readonly images?: ImagePrograms
  /** Why it is not installed as it is. */
  readonly why?: string
}

/** What the chart's test looks for in `vault status`. */
const vault: Program = async (container) => {
  if (container.args.includes('status')) return container.log('initialized: false\nsealed: true')
  await container.clock.sleep(Number.MAX_SAFE_INTEGER)
}

/** The part of consul that the chart's probe calls: the leader's address. */
const consul: Program = (container) => serve(container, () => new Response(`"${container.facts.ips[0]}:8300"\n`))

/** The secrets that its pods mount are made by a hook. */
const contour: Program = (container) =>
  container.args[0] === 'certgen'
    ? makeCertificates(container, ['contourcert', 'envoycert'])
    : container.args[0] === 'bootstrap'
      ? 0
      : serve(container)

export const CHARTS: readonly OthersChart[] = [
  { name: 'ingress-nginx', at: 'kubernetes+ingress-nginx/charts/ingress-nginx' },
  { name: 'cert-manager', at: 'cert-manager+cert-manager/deploy/charts/cert-manager' },
  { name: 'argo-cd', at: 'argoproj+argo-helm/charts/argo-cd' },
  { name: 'argo-workflows', at: 'argoproj+argo-helm/charts/argo-workflows' },
  { name: 'kyverno', at: 'kyverno+kyverno/charts/kyverno' },
  {
    name: 'gatekeeper',
    at: 'open-policy-agent+gatekeeper/charts/gatekeeper',
    set: { 'postInstall.probeWebhook.enabled': 'false', 'postInstall.labelNamespace.enabled': 'false' },
    why: 'a hook calls its webhook, with the certificate that its controller would have created',
  },
  { name: 'kube-prometheus-stack', at: 'prometheus-community+helm-charts/charts/kube-prometheus-stack' },
  { name: 'alertmanager', at: 'prometheus-community+helm-charts/charts/alertmanager' },
  {
    name: 'prometheus-yet-another-cloudwatch-exporter',
    at: 'prometheus-community+helm-charts/charts/prometheus-yet-another-cloudwatch-exporter',
  },
  { name: 'jupyterhub', at: 'jupyterhub+zero-to-jupyterhub-k8s/jupyterhub' },
  { name: 'harbor', at: 'goharbor+harbor-helm' },
  { name: 'longhorn', at: 'longhorn+longhorn/chart' },
  { name: 'kubernetes-dashboard', at: 'kubernetes+dashboard/charts/kubernetes-dashboard' },
  {
    name: 'vault',
    at: 'hashicorp+vault-helm',
    images: { 'hashicorp/vault': { run: vault, commands: { vault } } },
    why: 'its test reads the output of `vault status`: a program of four lines prints it',
  },
  {
    name: 'consul',
    at: 'hashicorp+consul-k8s/charts/consul',
    images: {
      '**/consul': { run: consul, commands: { 'docker-entrypoint.sh': consul } },
      '**/consul-k8s-control-plane': {
        run: () => 0,
        commands: {
          'consul-k8s-control-plane': (container) =>
            container.args[0] === 'webhook-cert-manager'
              ? certifying('trial-consul-connect-inject-webhook-cert')(container)
              : container.args[0] === 'inject-connect'
                ? serve(container)
                : 0,
        },
      },
    },
    why: 'its probe reads the leader, and its injector mounts certificates that another of its programs creates: both have a program',
  },
  {
    name: 'velero',
    at: 'vmware-tanzu+helm-charts/charts/velero',
    set: {
      snapshotsEnabled: 'false',
      'configuration.backupStorageLocation[0].provider': 'aws',
      'configuration.backupStorageLocation[0].bucket': 'b',
    },
    why: 'a backup location is configured',
  },
  { name: 'nats', at: 'nats-io+k8s/helm/charts/nats' },
  {
    name: 'keda',
    at: 'kedacore+charts/keda',
    images: { 'ghcr.io/kedacore/keda': { run: certifying('kedaorg-certs'), commands: { keda: certifying('kedaorg-certs') } } },
    why: 'two of its deployments mount certificates that its operator creates: the operator has a program',
  },
  { name: 'traefik', at: 'traefik+traefik-helm-chart/traefik' },
  { name: 'sealed-secrets', at: 'bitnami-labs+sealed-secrets/helm/sealed-secrets' },
  {
    name: 'external-dns',
    at: 'kubernetes-sigs+external-dns/charts/external-dns',
    set: { policy: 'sync' },
    why: 'its schema requires a policy',
  },
  {
    name: 'karpenter',
    at: 'aws+karpenter-provider-aws/charts/karpenter',
    set: { 'settings.clusterName': 'c', topologySpreadConstraints: 'null' },
    why: 'the name of the cluster is configured, and its pods need nodes with zones',
  },
  { name: 'external-secrets', at: 'external-secrets+external-secrets/deploy/charts/external-secrets' },
  { name: 'cloudnative-pg', at: 'cloudnative-pg+charts/charts/cloudnative-pg' },
  { name: 'postgres-operator', at: 'zalando+postgres-operator/charts/postgres-operator' },
  { name: 'mysql-operator', at: 'mysql+mysql-operator/helm/mysql-operator' },
  { name: 'crossplane', at: 'crossplane+crossplane/cluster/charts/crossplane' },
  { name: 'flux2', at: 'fluxcd-community+helm-charts/charts/flux2' },
  { name: 'rook-ceph', at: 'rook+rook/deploy/charts/rook-ceph' },
  { name: 'strimzi', at: 'strimzi+strimzi-kafka-operator/packaging/helm-charts/helm3/strimzi-kafka-operator' },
  { name: 'linkerd-crds', at: 'linkerd+linkerd2/charts/linkerd-crds' },
  { name: 'prometheus', at: 'prometheus-community+helm-charts/charts/prometheus' },
  { name: 'tempo-distributed', at: 'grafana+helm-charts/charts/tempo-distributed' },
  { name: 'bitnami/zookeeper', at: 'bitnami+charts/bitnami/zookeeper' },
  {
    name: 'bitnami/contour',
    at: 'bitnami+charts/bitnami/contour',
    images: { '**/contour': { run: contour, commands: { contour } } },
    why: 'a hook creates the certificates that its pods mount: it has a program',
  },
  ...['postgresql', 'redis', 'mongodb', 'rabbitmq', 'kafka', 'wordpress', 'airflow', 'minio', 'keycloak', 'metrics-server', 'etcd'].map(
    (name): OthersChart => ({ name: `bitnami/${name}`, at: `bitnami+charts/bitnami/${name}` }),
  ),
]
