/** Pods of the task pages of Kubernetes' documentation: their output, phases and statuses are as the pages say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import * as refs from '../../src/resources/refs.ts'
import { CONFIG_MAPS, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { Pod, PodSpec } from '../../src/resources/types/core.ts'
import { configMap, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from './pods.ts'

const here = { namespace: 'default' }
const JOBS = { ...refs.JOBS, ...here }
const CRON_JOBS = { ...refs.CRON_JOBS, ...here }

async function open() {
  const clock = new VirtualClock(Date.parse('2026-03-01T10:00:00Z'))
  const cluster = await startCluster({}, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const exec = async (name: string, script: string, container?: string) => {
    const run = await client.exec({ ...here, name }, ['sh', '-c', script], container === undefined ? {} : { container })
    let out = ''
    for await (const chunk of run.stdout) out += Buffer.from(chunk).toString()
    await run.exit
    return out
  }
  const make = (name: string, spec: object, metadata: object = {}) => podsOf(client, clock).create(pod(name, { metadata, spec }))
  return { clock, client, ...podsOf(client, clock), make, exec, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const running = (p: Pod) => p.status?.phase === 'Running'
const busybox = (name: string, script: string, more: object = {}) => ({
  name,
  image: 'busybox:1.28',
  command: ['sh', '-c', script],
  ...more,
})
const once = (container: object, more: object = {}) => ({ restartPolicy: 'Never', containers: [container], ...more })

test('a counter writes a line a second, and its logs are read by tail and since', async () => {
  await using it = await open()
  await it.make('counter', { containers: [busybox('count', 'i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done')] })
  await it.until('counter', running)
  await it.clock.advance(3_500)
  const lines = (await it.logs('counter')).trim().split('\n')
  assert.equal(lines.length, 4)
  for (const [i, line] of lines.entries()) assert.match(line, new RegExp(`^${i}: Sun Mar  1 10:00:\\d\\d UTC 2026$`))
})

test('two streams of one pod, each printed by a sidecar that follows a file of a shared folder', async () => {
  await using it = await open()
  const volumeMounts = [{ name: 'varlog', mountPath: '/var/log' }]
  const script =
    'i=0; while true; do echo "$i: $(date)" >> /var/log/1.log; echo "$(date) INFO $i" >> /var/log/2.log; i=$((i+1)); sleep 1; done'
  const follow = (n: number) => ({
    name: `log-${n}`,
    image: 'busybox:1.28',
    args: ['/bin/sh', '-c', `tail -n+1 -F /var/log/${n}.log`],
    volumeMounts,
  })
  await it.make('counter', {
    containers: [busybox('count', script, { volumeMounts }), follow(1), follow(2)],
    volumes: [{ name: 'varlog', emptyDir: {} }],
  })
  await it.until('counter', running)
  await it.clock.advance(2_700)
  // tail prints a message if it starts before the first line.
  assert.match(await it.logs('counter', 'log-1'), /^(tail: .*\n)?0: .*\n1: .*\n2: .*\n$/)
  assert.match(await it.logs('counter', 'log-2'), /^(tail: .*\n)?Sun .* INFO 0\nSun .* INFO 1\nSun .* INFO 2\n$/)
})

test('a failing liveness command restarts the container, with an event', async () => {
  await using it = await open()
  const livenessProbe = { exec: { command: ['cat', '/tmp/healthy'] }, initialDelaySeconds: 5, periodSeconds: 5 }
  const args = ['/bin/sh', '-c', 'touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600']
  await it.make('liveness-exec', { containers: [{ name: 'liveness', image: 'registry.k8s.io/busybox:1.27.2', args, livenessProbe }] })
  await it.until('liveness-exec', running)
  await it.clock.advance(29_000)
  const restarts = async () =>
    (await it.client.get({ ...PODS, ...here, name: 'liveness-exec' })).status?.containerStatuses?.[0]?.restartCount
  assert.equal(await restarts(), 0)
  await it.clock.advance(60_000)
  assert.equal(await restarts(), 1)
  const { items } = await it.client.list({ ...refs.CORE_EVENTS, ...here })
  const reported = items.filter((e) => e.reason === 'Unhealthy').map((e) => String(e.message).trim())
  assert.deepEqual([...new Set(reported)], ["Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory"])
})

test('init containers wait for services by name, one after the other', async () => {
  await using it = await open()
  const until = (name: string) =>
    `until nslookup ${name}.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting for ${name}; sleep 2; done`
  await it.make('myapp-pod', {
    initContainers: [busybox('init-myservice', until('myservice')), busybox('init-mydb', until('mydb'))],
    containers: [busybox('myapp-container', 'echo The app is running! && sleep 3600')],
  })
  await it.clock.advance(5_000)
  assert.match(await it.logs('myapp-pod', 'init-myservice'), /waiting for myservice\n/)
  for (const name of ['mydb', 'myservice'])
    await it.client.create(
      { ...SERVICES, ...here },
      { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } },
    )
  await it.until('myapp-pod', running)
  assert.equal(await it.logs('myapp-pod', 'myapp-container'), 'The app is running!\n')
  assert.doesNotMatch(await it.logs('myapp-pod', 'init-mydb'), /waiting/)
})

test('commands, arguments and variables that mean each other', async () => {
  await using it = await open()
  await it.make('command-demo', once({ name: 'main', image: 'debian', command: ['printenv'], args: ['HOSTNAME', 'KUBERNETES_PORT'] }))
  await it.ended('command-demo')
  assert.equal(await it.logs('command-demo'), 'command-demo\ntcp://10.0.0.1:443\n')

  const script =
    "printf UNCHANGED_REFERENCE=$UNCHANGED_REFERENCE'\\n'; printf SERVICE_ADDRESS=$SERVICE_ADDRESS'\\n';printf ESCAPED_REFERENCE=$ESCAPED_REFERENCE'\\n'"
  const env = Object.entries({
    SERVICE_PORT: '80',
    SERVICE_IP: '172.17.0.1',
    UNCHANGED_REFERENCE: '$(PROTOCOL)://$(SERVICE_IP):$(SERVICE_PORT)',
    PROTOCOL: 'https',
    SERVICE_ADDRESS: '$(PROTOCOL)://$(SERVICE_IP):$(SERVICE_PORT)',
    ESCAPED_REFERENCE: '$$(PROTOCOL)://$(SERVICE_IP):$(SERVICE_PORT)',
  }).map(([name, value]) => ({ name, value }))
  await it.make('dependent', once({ name: 'main', image: 'busybox:1.28', command: ['sh', '-c'], args: [script], env }))
  await it.ended('dependent')
  const address = '://172.17.0.1:80\n'
  assert.equal(
    await it.logs('dependent'),
    `UNCHANGED_REFERENCE=$(PROTOCOL)${address}SERVICE_ADDRESS=https${address}ESCAPED_REFERENCE=$(PROTOCOL)${address}`,
  )
})

test('a config map is variables of a command, and files of a folder', async () => {
  await using it = await open()
  await it.client.create({ ...CONFIG_MAPS, ...here }, configMap('special-config', { SPECIAL_LEVEL: 'very', SPECIAL_TYPE: 'charm' }))
  const key = (name: string, of: string) => ({ name, valueFrom: { configMapKeyRef: { name: 'special-config', key: of } } })
  const env = [key('SPECIAL_LEVEL_KEY', 'SPECIAL_LEVEL'), key('SPECIAL_TYPE_KEY', 'SPECIAL_TYPE')]
  const command = ['/bin/echo', '$(SPECIAL_LEVEL_KEY) $(SPECIAL_TYPE_KEY)']
  await it.make('words', once({ name: 'main', image: 'registry.k8s.io/busybox:1.27.2', command, env }))
  await it.ended('words')
  assert.equal(await it.logs('words'), 'very charm\n')
  const volumeMounts = [{ name: 'config', mountPath: '/etc/config' }]
  const volumes = [{ name: 'config', configMap: { name: 'special-config' } }]
  await it.make('files', once(busybox('main', 'ls /etc/config/; cat /etc/config/SPECIAL_TYPE', { volumeMounts }), { volumes }))
  await it.ended('files')
  assert.equal(await it.logs('files'), 'SPECIAL_LEVEL\nSPECIAL_TYPE\ncharm')
})

test('a pod reads its own fields, as variables and as files that are updated', async () => {
  await using it = await open()
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } })
  const env = [
    field('MY_NODE_NAME', 'spec.nodeName'),
    field('MY_POD_NAME', 'metadata.name'),
    field('MY_POD_SERVICE_ACCOUNT', 'spec.serviceAccountName'),
  ]
  const args = ['while true; do echo -en "\\n"; printenv MY_NODE_NAME MY_POD_NAME; printenv MY_POD_SERVICE_ACCOUNT; sleep 10; done;']
  await it.make('envars', once({ name: 'main', image: 'registry.k8s.io/busybox:1.27.2', command: ['sh', '-c'], args, env }))
  await it.until('envars', running)
  assert.equal(await it.logs('envars'), '\nnode-1\nenvars\ndefault\n')

  const script = "while true; do if [[ -e /etc/podinfo/labels ]]; then echo -en '\\n\\n'; cat /etc/podinfo/labels; fi; sleep 5; done;"
  const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }]
  const volumes = [{ name: 'podinfo', downwardAPI: { items } }]
  await it.make('labels', once(busybox('main', script, { volumeMounts: [{ name: 'podinfo', mountPath: '/etc/podinfo' }] }), { volumes }), {
    labels: { zone: 'us', rack: 'r1' },
  })
  await it.until('labels', running)
  // A line is logged when it is complete: the last one with the next round.
  assert.equal(await it.logs('labels'), '\n\nrack="r1"\n')
  await it.client.patch({ ...PODS, ...here, name: 'labels' }, 'merge', { metadata: { labels: { zone: 'eu' } } })
  await it.clock.advance(120_000)
  assert.match(await it.logs('labels'), /^\n\nrack="r1"\nzone="us"\n\nrack="r1"\n[\s\S]*zone="eu"\n/)
})

test("two containers share a folder, and a web server serves the other's files", async () => {
  await using it = await open()
  await it.make('two-containers', {
    restartPolicy: 'Never',
    volumes: [{ name: 'shared-data', emptyDir: {} }],
    containers: [
      { name: 'nginx-container', image: 'nginx', volumeMounts: [{ name: 'shared-data', mountPath: '/usr/share/nginx/html' }] },
      {
        name: 'debian-container',
        image: 'debian',
        volumeMounts: [{ name: 'shared-data', mountPath: '/pod-data' }],
        command: ['/bin/sh'],
        args: ['-c', 'echo Hello from the debian container > /pod-data/index.html'],
      },
    ],
  })
  const { status } = await it.until('two-containers', (p) => p.status?.containerStatuses?.some((c) => c.state?.terminated !== undefined))
  assert.equal(status?.phase, 'Running')
  assert.equal(await it.exec('two-containers', 'curl localhost', 'nginx-container'), 'Hello from the debian container\n')
})

test('a reader gets a shell into a web server, changes its page, and sees it', async () => {
  await using it = await open()
  await it.make('shell-demo', { containers: [{ name: 'nginx', image: 'nginx' }] })
  await it.until('shell-demo', running)
  assert.match(await it.exec('shell-demo', 'ls /; cat /proc/mounts; ps aux'), /etc\n[\s\S]*overlay \/ overlay[\s\S]*nginx/)
  assert.match(await it.exec('shell-demo', 'curl http://localhost/'), /<h1>Welcome to nginx!<\/h1>/)
  await it.exec('shell-demo', "echo 'Hello shell demo' > /usr/share/nginx/html/index.html")
  assert.equal(await it.exec('shell-demo', 'curl -s http://localhost/'), 'Hello shell demo\n')
  assert.match(await it.logs('shell-demo'), /"GET \/ HTTP\/1.1" 200/)
})

test('a security context is what id, ps and the files of a volume show', async () => {
  await using it = await open()
  await it.make('security-context-demo', {
    securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] },
    volumes: [{ name: 'sec-ctx-vol', emptyDir: {} }],
    containers: [
      {
        name: 'demo',
        image: 'busybox:1.28',
        command: ['sh', '-c', 'sleep 1h'],
        volumeMounts: [{ name: 'sec-ctx-vol', mountPath: '/data/demo' }],
      },
    ],
  })
  await it.until('security-context-demo', running)
  const run = (script: string) => it.exec('security-context-demo', script)
  assert.equal(await run('id'), 'uid=1000 gid=3000 groups=3000,2000,4000\n')
  assert.match(await run('ps'), /^ +1 1000 +0:00 sh -c sleep 1h$/m)
  assert.match(await run('cd /data; ls -l'), /^drwxrwsrwx .* root +2000 .* demo$/m)
  assert.match(await run('cd /data/demo; echo hello > testfile; ls -l'), /^-rw-r--r-- .* 1000 +2000 +6 .* testfile$/m)
})

test('why a container ended is what it wrote, or what it printed last', async () => {
  await using it = await open()
  await it.make(
    'termination-demo',
    once({ name: 'main', image: 'debian', command: ['/bin/sh'], args: ['-c', 'sleep 10 && echo Sleep expired > /dev/termination-log'] }),
  )
  const { status } = await it.ended('termination-demo')
  assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.message, 'Sleep expired\n')
  await it.make('last-words', once(busybox('main', 'echo all is lost; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' })))
  assert.equal((await it.ended('last-words')).status?.containerStatuses?.[0]?.state?.terminated?.message, 'all is lost\n')
})

test('an indexed job gives each of its pods an index', async () => {
  await using it = await open()
  const volumeMounts = [{ name: 'input', mountPath: '/input' }]
  const choose = 'items=(foo bar baz qux xyz)\necho ${items[$JOB_COMPLETION_INDEX]} > /input/data.txt\n'
  await it.client.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'indexed-job' },
    spec: {
      completions: 5,
      parallelism: 3,
      completionMode: 'Indexed',
      template: {
        spec: {
          restartPolicy: 'Never',
          initContainers: [{ name: 'input', image: 'docker.io/library/bash', command: ['bash', '-c', choose], volumeMounts }],
          containers: [{ name: 'worker', image: 'docker.io/library/busybox', command: ['rev', '/input/data.txt'], volumeMounts }],
          volumes: [{ name: 'input', emptyDir: {} }],
        },
      },
    },
  })
  await it.clock.advance(30_000)
  const { status } = await it.client.get({ ...JOBS, name: 'indexed-job' })
  assert.deepEqual([status?.succeeded, status?.completedIndexes], [5, '0-4'])
  const { items } = await it.client.list({ ...PODS, ...here }, { labelSelector: 'job-name=indexed-job' })
  const printed = await Promise.all(items.map((p) => it.logs(p.metadata.name ?? '', 'worker')))
  assert.deepEqual(printed.sort(), ['oof\n', 'rab\n', 'xuq\n', 'zab\n', 'zyx\n'])
})

test('a cron job prints hello each minute', async () => {
  await using it = await open()
  const spec: PodSpec = {
    restartPolicy: 'OnFailure',
    containers: [{ name: 'hello', image: 'busybox:1.28', command: ['/bin/sh', '-c', 'date; echo Hello from the Kubernetes cluster'] }],
  }
  await it.client.create(CRON_JOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'hello' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec } } } },
  })
  await it.clock.advance(130_000)
  const { items } = await it.client.list({ ...PODS, ...here })
  assert.equal(items.length, 2)
  for (const { metadata } of items)
    assert.match(await it.logs(metadata.name ?? ''), /^Sun Mar {2}1 10:0\d:0\d UTC 2026\nHello from the Kubernetes cluster\n$/)
})

test("a sidecar follows the main container's output, and ends after it", async () => {
  await using it = await open()
  const volumeMounts = [{ name: 'data', mountPath: '/opt' }]
  await it.make('myjob', {
    restartPolicy: 'Never',
    initContainers: [{ ...busybox('logshipper', 'tail -F /opt/logs.txt', { volumeMounts }), restartPolicy: 'Always' }],
    containers: [busybox('myjob', 'echo "logging" > /opt/logs.txt; sleep 2', { volumeMounts })],
    volumes: [{ name: 'data', emptyDir: {} }],
  })
  await it.clock.advance(2_000)
  assert.match(await it.logs('myjob', 'logshipper'), /logging\n$/)
  assert.equal((await it.ended('myjob')).status?.phase, 'Succeeded')
})

test('a pod calls the API with its environment: address, authority and token', async () => {
  await using it = await open()
  await it.make('asker', { containers: [busybox('main', 'sleep 3600')] })
  await it.until('asker', running)
  const script = `
    SERVICEACCOUNT=/var/run/secrets/kubernetes.io/serviceaccount
    NAMESPACE=$(cat \${SERVICEACCOUNT}/namespace)
    TOKEN=$(cat \${SERVICEACCOUNT}/token)
    curl -s --cacert \${SERVICEACCOUNT}/ca.crt --header "Authorization: Bearer \${TOKEN}" -X GET https://kubernetes.default.svc/api
    curl -s --cacert \${SERVICEACCOUNT}/ca.crt -H "Authorization: Bearer \${TOKEN}" https://kubernetes.default.svc/api/v1/namespaces/$NAMESPACE/secrets | grep -o '"reason":"[A-Za-z]*"'`
  assert.match(await it.exec('asker', script), /"kind":"APIVersions"[\s\S]*"reason":"Forbidden"/)
})
