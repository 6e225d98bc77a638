/** What an editor of one namespace may create to make the cluster work: nothing of it may be noticed by other clients. */

/** An object, and the collection to which it is posted. */
export interface HostileObject {
  readonly collection: string
  readonly object: { readonly metadata: { readonly name: string } }
}

export const HOSTILE = 'hostile'
const CORE = `/api/v1/namespaces/${HOSTILE}`
const of = (group: string) => `/apis/${group}/namespaces/${HOSTILE}`

/** Without it, workloads of two thousand million replicas would make pods until the cluster's own limits of objects. */
const QUOTA: HostileObject = {
  collection: `${CORE}/resourcequotas`,
  object: { metadata: { name: 'tenant' }, ...{ spec: { hard: { pods: '100', 'count/jobs.batch': '100' } } } },
}

const SCRIPTS: Readonly<Record<string, string>> = {
  loop: 'while :; do :; done',
  pipe: 'yes | cat > /dev/null',
  awk: `awk 'BEGIN{for(;;)i++}'`,
  fork: ':(){ :|:& };:; sleep 100',
  jobs: 'while true; do sleep 1000 & done',
  memory: `x=x; while :; do x=$x$x; done`,
  files: 'mkdir /f; cd /f; i=0; while :; do i=$((i+1)); mkdir d$i; cd d$i; touch $(seq 1 20000); cd ..; done',
  output: 'yes a line of output without end',
  crash: 'exit 1',
  paths: 'echo /*/../*/../*/../*/../*/../*/.. | wc -c; sleep 1',
}

const container = (script: string) => ({ name: 'c', image: 'busybox', command: ['sh', '-c', script] })
const template = (script: string) => ({ metadata: { labels: { app: 'h' } }, spec: { containers: [container(script)] } })
const MOST = 2 ** 31 - 1
const selector = { matchLabels: { app: 'h' } }

const pods = Object.entries(SCRIPTS).map(
  ([name, script]): HostileObject => ({
    collection: `${CORE}/pods`,
    object: { metadata: { name }, ...{ spec: { terminationGracePeriodSeconds: 0, containers: [container(script)] } } },
  }),
)

const numbers = JSON.stringify(Array.from({ length: 100 }, (_, i) => i))
const costly = `${numbers}.all(x, ${numbers}.all(y, x + y >= 0))`
const claims = [1, 2, 3, 4].map(
  (n): HostileObject => ({
    collection: `${of('resource.k8s.io/v1')}/resourceclaimtemplates`,
    object: {
      metadata: { name: `claim-${n}` },
      ...{
        spec: {
          spec: {
            devices: {
              requests: Array.from({ length: 8 * n }, (_, i) => ({
                name: `r${i}`,
                exactly: {
                  deviceClassName: HOSTILE,
                  count: 1,
                  selectors: [{ cel: { expression: costly } }, { cel: { expression: 'false' } }],
                },
              })),
            },
          },
        },
      },
    },
  }),
)
const claiming = claims.map(
  ({ object: { metadata } }): HostileObject => ({
    collection: `${CORE}/pods`,
    object: {
      metadata: { name: `of-${metadata.name}` },
      ...{
        spec: {
          resourceClaims: [{ name: 'c', resourceClaimTemplateName: metadata.name }],
          containers: [{ ...container('sleep 10'), resources: { claims: [{ name: 'c' }] } }],
        },
      },
    },
  }),
)

const workloads: readonly HostileObject[] = [
  {
    collection: `${of('apps/v1')}/deployments`,
    object: { metadata: { name: 'many' }, ...{ spec: { replicas: MOST, selector, template: template('sleep 1000') } } },
  },
  {
    collection: `${of('apps/v1')}/statefulsets`,
    object: {
      metadata: { name: 'many' },
      ...{ spec: { replicas: MOST, podManagementPolicy: 'Parallel', serviceName: 'x', selector, template: template('exit 1') } },
    },
  },
  {
    collection: `${of('apps/v1')}/daemonsets`,
    object: { metadata: { name: 'all' }, ...{ spec: { selector, template: template('while :; do :; done') } } },
  },
  {
    collection: `${of('batch/v1')}/jobs`,
    object: {
      metadata: { name: 'many' },
      ...{
        spec: {
          parallelism: MOST,
          completions: MOST,
          backoffLimit: MOST,
          template: { spec: { restartPolicy: 'Never', containers: [container('exit 1')] } },
        },
      },
    },
  },
  {
    collection: `${of('batch/v1')}/cronjobs`,
    object: {
      metadata: { name: 'minutely' },
      ...{
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Allow',
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [container('yes')] } } } },
        },
      },
    },
  },
  {
    collection: `${of('autoscaling/v2')}/horizontalpodautoscalers`,
    object: {
      metadata: { name: 'many' },
      ...{
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'many' }, minReplicas: MOST - 1, maxReplicas: MOST },
      },
    },
  },
]

/** Needed by the others, and posted first: the namespace's bound, and devices for the claims. */
export const PREPARED: readonly HostileObject[] = [
  QUOTA,
  { collection: '/apis/resource.k8s.io/v1/deviceclasses', object: { metadata: { name: HOSTILE }, ...{ spec: {} } } },
  {
    collection: '/apis/resource.k8s.io/v1/resourceslices',
    object: {
      metadata: { name: HOSTILE },
      ...{
        spec: {
          driver: 'd.example.com',
          nodeName: 'node-1',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: Array.from({ length: 100 }, (_, i) => ({ name: `d${i}`, attributes: { a: { int: i } } })),
        },
      },
    },
  },
  ...claims,
]

/** Twenty pods, claims and workloads. */
export const HOSTILE_OBJECTS: readonly HostileObject[] = [...pods, ...claiming, ...workloads]
