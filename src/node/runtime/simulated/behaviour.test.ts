import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Behaviour, scriptOf } from './behaviour.ts'
import type { UnknownPrograms } from './unknown-programs.ts'

/** A container and its pod, as far as scripts read them. */
interface Given {
  readonly unknownPrograms?: UnknownPrograms
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

const FAILED: Behaviour = { runMs: 0, exitCode: 127, remark: 'there is no program for app: nothing ran' }
const SUCCEEDED: Behaviour = { runMs: 1000, exitCode: 0, remark: 'there is no program for app: nothing ran, and the container succeeds' }
const runs = (image = 'app'): Behaviour => ({ remark: `there is no program for ${image}: nothing runs in the container` })
const job = { 'batch.kubernetes.io/job-name': 'migrate' }

const RULES: readonly (readonly [rule: string, given: Given, behaviour: Behaviour | 'by command'])[] = [
  ['a container runs for ever', {}, runs()],
  ['pause runs for ever', { image: 'registry.k8s.io/pause:3.10' }, { runMs: Number.POSITIVE_INFINITY }],
  ['also as the work of a job', { image: 'registry.k8s.io/pause:3.10', labels: job }, { runMs: Number.POSITIVE_INFINITY }],
  ['true and false end at once', { command: ['false'] }, { runMs: 0, exitCode: 1 }],
  ['a shell says the same', { command: ['/bin/sh', '-c', 'echo "a b"; sleep 2 && exit 0'] }, { runMs: 2000, exitCode: 0, logs: ['a b'] }],
  ['what is printed after a while, or before a failure, is left to the shell', { command: ['sh', '-c', 'echo a; exit 4'] }, 'by command'],
  ['so is what is printed later', { command: ['sh', '-c', 'sleep 2; echo b'] }, 'by command'],
  ['a shell that does what nobody knows runs for ever', { command: ['sh', '-c', 'serve --all'] }, 'by command'],
  ['what follows an echo that somebody knows is not lost', { command: ['sh', '-c', 'echo a; serve --all'] }, 'by command'],
  ['redirections and variables are left to the shell', { command: ['sh', '-c', 'echo $A >> f; sleep 3'] }, 'by command'],
  ['words without a shell are words', { command: ['echo', '$A', '>'] }, { runMs: 0, exitCode: 0, logs: ['$A >'] }],
  ['arguments are the command of a base image', { image: 'docker.io/library/busybox:1.37', args: ['printf', 'x'] }, 'by command'],
  ['and of any image, where they begin with a shell', { args: ['/bin/sh', '-c', 'serve'] }, 'by command'],
  ['other arguments are for what nobody knows', { args: ['serve'] }, runs()],
  ['an image of one program gives it its arguments', { image: 'curlimages/curl@sha256:1', args: ['-s', 'http://web'] }, 'by command'],
  ['a base image that is given nothing stays', { image: 'alpine' }, {}],
  ['with somebody at its input it is a shell', { image: 'localhost:5000/ubuntu', stdin: true }, 'by command'],
  ['an init container ends: the others wait for it', { init: true }, SUCCEEDED],
  ['images named done end well', { image: 'example/done:1' }, { runMs: 0, exitCode: 0 }],
  ['images named fail do not', { image: 'failing' }, { runMs: 0, exitCode: 3 }],
  ['annotations have the last word', { image: 'fail', annotations: { 'run-seconds': '5' } }, { runMs: 5000, exitCode: 3 }],
  ['an annotation for one container', { annotations: { 'exit-code.main': '9' } }, { runMs: 0, exitCode: 9 }],
  ['and for another', { annotations: { 'exit-code.other': '9' } }, runs()],
  ['the work of a job ends well after a moment', { labels: job }, SUCCEEDED],
  ['that of an old job too', { labels: { 'job-name': 'migrate' } }, SUCCEEDED],
  ['a hook of helm ends', { hook: true }, SUCCEEDED],
  ['the sidecar of a job does not', { labels: job, sidecar: true }, runs()],
  ['a job whose command says how long it takes', { labels: job, command: ['sleep', '7'] }, { runMs: 7000, exitCode: 0 }],
  ['a job that is told to fail', { labels: job, annotations: { 'exit-code': '2' } }, { runMs: 0, exitCode: 2 }],
  ['a job whose image fails', { labels: job, image: 'fail' }, { runMs: 0, exitCode: 3 }],
  ['a job that is told to run on', { labels: job, annotations: { 'run-seconds': 'forever' } }, { runMs: Number.POSITIVE_INFINITY }],
  ['a job runs for ever, if unknown programs run', { unknownPrograms: 'run', labels: job }, runs()],
  ['a container fails, if unknown programs fail', { unknownPrograms: 'fail' }, FAILED],
  ['so does a job', { unknownPrograms: 'fail', labels: job }, FAILED],
  ['a known command does not', { unknownPrograms: 'fail', command: ['sleep', '5'] }, { runMs: 5000, exitCode: 0 }],
  ['nor does an image that is named done', { unknownPrograms: 'fail', image: 'done' }, { runMs: 0, exitCode: 0 }],
  ['nor a container with an annotation', { unknownPrograms: 'fail', annotations: { 'exit-code': '4' } }, { runMs: 0, exitCode: 4 }],
  ['how long it takes to stop', { annotations: { 'stop-seconds': '1.5' } }, { ...runs(), onStop: { afterMs: 1500 } }],
]

for (const [
  rule,
  { unknownPrograms = 'succeed', image = 'app', command = [], args = [], stdin = false, annotations = {}, labels = {}, ...more },
  wanted,
] of RULES) {
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
    assert.deepEqual(
      scriptOf(unknownPrograms).container({ spec, sandbox }),
      wanted === 'by command' ? { byCommand: true, ...runs(image) } : wanted,
    )
  })
}
