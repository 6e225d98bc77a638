import type { ImagePrograms, Program } from '../../src/node/programs/program.ts'

/** Somebody else's chart, and what has to be said before it can be installed. */
export interface OthersChart {
  readonly name: string
  /** Where it lies among the checkouts. */
  readonly at: string
  /** Values, by their paths. */
  readonly set?: Readonly<Record<string, string>>
  /** Programs for its images, where a script of it asks for what only they could say. */
  readonly images?: ImagePrograms
  /** Why it is not installed as it is. */
  readonly why?: string
}

/** What the chart's test looks for in `vault status`. */
const vault: Program = async (container) => {
  if (container.args.includes('status')) return container.log('initialized: false\nsealed: true')
  await container.clock.sleep(Number.MAX_SAFE_INTEGER)
}

/** As much of it as its probe asks. */
const consul: Program = async (container) => {
  const leader = () => new Response(`"${container.facts.ips[0]}:8300"\n`)
  for (const port of new Set([8500, ...container.facts.ports])) await container.listen(port, leader)
}

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
    why: 'a hook asks its webhook, with the certificate that its controller would have made',
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
    why: 'its test reads what `vault status` prints: a program of four lines prints it',
  },
  {
    name: 'consul',
    at: 'hashicorp+consul-k8s/charts/consul',
    images: { '**/consul': { run: consul, commands: { consul } } },
    set: { 'connectInject.enabled': 'false' },
    why: 'its probe reads who leads: a program of two lines says it; the injector waits for certificates that another of its programs would have made',
  },
  {
    name: 'velero',
    at: 'vmware-tanzu+helm-charts/charts/velero',
    set: {
      snapshotsEnabled: 'false',
      'configuration.backupStorageLocation[0].provider': 'aws',
      'configuration.backupStorageLocation[0].bucket': 'b',
    },
    why: 'a place for backups has to be named',
  },
  { name: 'nats', at: 'nats-io+k8s/helm/charts/nats' },
  { name: 'keda', at: 'kedacore+charts/keda' },
  { name: 'traefik', at: 'traefik+traefik-helm-chart/traefik' },
  { name: 'sealed-secrets', at: 'bitnami-labs+sealed-secrets/helm/sealed-secrets' },
  {
    name: 'external-dns',
    at: 'kubernetes-sigs+external-dns/charts/external-dns',
    set: { policy: 'sync' },
    why: 'its schema asks for a policy',
  },
  {
    name: 'karpenter',
    at: 'aws+karpenter-provider-aws/charts/karpenter',
    set: { 'settings.clusterName': 'c' },
    why: 'a cluster has to be named',
  },
  ...[
    'contour',
    'postgresql',
    'redis',
    'mongodb',
    'rabbitmq',
    'kafka',
    'wordpress',
    'airflow',
    'minio',
    'keycloak',
    'metrics-server',
    'etcd',
  ].map((name): OthersChart => ({ name: `bitnami/${name}`, at: `bitnami+charts/bitnami/${name}` })),
]
