import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { seededRandom } from '../../../base/random.ts'
import { restoredPod } from '../../recovery/restoring-feed.ts'
import { passingTime } from '../passing-time.double.ts'
import { runtimeContract } from '../runtime.contract.ts'
import { type Behaviour, defaultScript, type Script } from './behaviour.ts'
import { createSimulatedRuntime } from './simulated-runtime.ts'

/** A script for the contract's commands. */
const script: Script = {
  ...defaultScript,
  container: (c) => (c.spec.command[0] === 'stay' ? { onStop: 'ignore', logs: ['ready'] } : defaultScript.container(c)),
}

runtimeContract('simulated runtime', async () => {
  const clock = new VirtualClock()
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1), script, podSubnet: '10.1.2' })
  return {
    runtime,
    image: 'app',
    greets: ['echo', 'hello'],
    fails: ['exit 3'],
    lasts: ['last'],
    stays: ['stay'],
    says: ['echo', 'hi'],
    refuses: ['exit 7'],
    sleeps: ['sleep 3600'],
    ...passingTime(clock),
    async [Symbol.asyncDispose]() {},
  }
})

interface Said {
  readonly image?: string
  readonly command?: string[]
  readonly args?: string[]
  readonly stdin?: true
  readonly annotations?: Record<string, string>
  readonly labels?: Record<string, string>
  readonly sidecar?: true
  readonly init?: true
  readonly hook?: true
}

const job = { 'batch.kubernetes.io/job-name': 'migrate' }

const said: readonly (readonly [string, Said, Behaviour])[] = [
  ['a container runs for ever', {}, {}],
  ['true and false end at once', { command: ['false'] }, { runMs: 0, exitCode: 1 }],
  ['a shell says the same', { command: ['/bin/sh', '-c', 'echo "a b"; sleep 2 && exit 0'] }, { runMs: 2000, exitCode: 0, logs: ['a b'] }],
  [
    'what is printed after a while, or before a failure, is left to the shell',
    { command: ['sh', '-c', 'echo a; exit 4'] },
    { byCommand: true },
  ],
  ['so is what is printed later', { command: ['sh', '-c', 'sleep 2; echo b'] }, { byCommand: true }],
  ['a shell that does what nobody knows runs for ever', { command: ['sh', '-c', 'serve --all'] }, { byCommand: true }],
  ['what follows an echo that somebody knows is not lost', { command: ['sh', '-c', 'echo a; serve --all'] }, { byCommand: true }],
  ['redirections and variables are left to the shell', { command: ['sh', '-c', 'echo $A >> f; sleep 3'] }, { byCommand: true }],
  ['words without a shell are words', { command: ['echo', '$A', '>'] }, { runMs: 0, exitCode: 0, logs: ['$A >'] }],
  ['arguments are the command of a base image', { image: 'docker.io/library/busybox:1.37', args: ['printf', 'x'] }, { byCommand: true }],
  ['and of any image, where they begin with a shell', { args: ['/bin/sh', '-c', 'serve'] }, { byCommand: true }],
  ['other arguments are for what nobody knows', { args: ['serve'] }, {}],
  [
    'an image of one program gives it its arguments',
    { image: 'curlimages/curl@sha256:1', args: ['-s', 'http://web'] },
    { byCommand: true },
  ],
  ['a base image that is given nothing stays', { image: 'alpine' }, {}],
  ['with somebody at its input it is a shell', { image: 'localhost:5000/ubuntu', stdin: true }, { byCommand: true }],
  ['an init container ends: the others wait for it', { init: true }, { runMs: 1000, exitCode: 0 }],
  ['images named done end well', { image: 'example/done:1' }, { runMs: 0, exitCode: 0 }],
  ['images named fail do not', { image: 'failing' }, { runMs: 0, exitCode: 3 }],
  ['annotations have the last word', { image: 'fail', annotations: { 'run-seconds': '5' } }, { runMs: 5000, exitCode: 3 }],
  ['an annotation for one container', { annotations: { 'exit-code.main': '9' } }, { runMs: 0, exitCode: 9 }],
  ['and for another', { annotations: { 'exit-code.other': '9' } }, {}],
  ['the work of a job ends well after a moment', { labels: job }, { runMs: 1000, exitCode: 0 }],
  ['that of an old job too', { labels: { 'job-name': 'migrate' } }, { runMs: 1000, exitCode: 0 }],
  ['a hook of helm ends', { hook: true }, { runMs: 1000, exitCode: 0 }],
  ['the sidecar of a job does not', { labels: job, sidecar: true }, {}],
  ['a job whose command says how long it takes', { labels: job, command: ['sleep', '7'] }, { runMs: 7000, exitCode: 0 }],
  ['a job that is told to fail', { labels: job, annotations: { 'exit-code': '2' } }, { runMs: 0, exitCode: 2 }],
  ['a job whose image fails', { labels: job, image: 'fail' }, { runMs: 0, exitCode: 3 }],
  [
    'a job that is told to run on',
    { labels: job, annotations: { 'run-seconds': 'forever' } },
    { runMs: Number.POSITIVE_INFINITY, exitCode: 0 },
  ],
  ['how long it takes to stop', { annotations: { 'stop-seconds': '1.5' } }, { onStop: { afterMs: 1500 } }],
]

for (const [rule, { image = 'app', command = [], args = [], stdin = false, annotations = {}, labels = {}, ...more }, wanted] of said) {
  test(`script: ${rule}`, () => {
    const pod = { uid: 'u', name: 'p', namespace: 'default' }
    const prefixed = Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`simulated.bowsprit.dev/${k}`, v]))
    const noted = { ...prefixed, ...(more.hook && { 'helm.sh/hook': 'test' }) }
    const sandbox = {
      pod,
      attempt: 0,
      hostname: 'p',
      hostNetwork: false,
      dns: { servers: [], searches: [], options: [] },
      runtimeHandler: '',
      labels,
      annotations: noted,
    }
    const lists = { environment: [], mounts: [], devices: [], cdiDevices: [], args }
    const flags = { labels: {}, annotations: {}, resources: {}, user: { supplementalGroups: [] }, stdin, tty: false }
    const spec = {
      pod,
      name: 'main',
      attempt: 0,
      image,
      imageId: image,
      command,
      ...lists,
      ...flags,
      ...(more.sidecar && { sidecar: true }),
      ...(more.init && { init: true }),
    }
    assert.deepEqual(defaultScript.container({ spec, sandbox }), wanted)
  })
}

test('what ran before this process brings its image along, which has not to be pulled again', async () => {
  const clock = new VirtualClock()
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1), podSubnet: '10.1.2' })
  const never = new AbortController().signal
  const running = { name: 'c', image: 'nginx:1', imageID: 'x', containerID: 'simulated://id', restartCount: 0, ready: true, started: true }
  const reported = restoredPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
    status: {
      phase: 'Running',
      podIPs: [{ ip: '10.1.2.9' }],
      containerStatuses: [{ ...running, state: { running: { startedAt: '2026-01-01T00:00:00Z' } }, lastState: {} }],
    },
  })
  assert.ok(reported)
  runtime.restore(reported)
  const found = await runtime.imageStatus('nginx:1', never)
  assert.match(found?.id ?? '', /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)
  assert.deepEqual(await runtime.pullImage({ image: 'nginx:1' }, never), found)
})
