import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedPort, NetworkPod, NetworkPolicy, NetworkWorld } from '../machinery/network/network-world.ts'
import { answerNetworkQuestion, type NetworkQuestion } from './answer-network-question.ts'

const HTTP: NamedPort = { name: 'http', port: 80, protocol: 'TCP' }
const DNS: NamedPort = { name: 'dns', port: 53, protocol: 'UDP' }
const pod = (name: string, ip: string, ports: readonly NamedPort[] = [], hostNetwork = false): NetworkPod => ({
  namespace: 'default',
  name,
  labels: { app: name },
  ips: [ip],
  hostNetwork,
  ports,
})
/** web accepts connections from front only; front may connect to every pod, db to none. */
const policies: readonly NetworkPolicy[] = [
  {
    namespace: 'default',
    name: 'web-in',
    spec: {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'front' } } }], ports: [{ protocol: 'TCP', port: 'http' }] }],
    },
  },
  { namespace: 'default', name: 'db-out', spec: { podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Egress'] } },
]
const WORLD: NetworkWorld = {
  namespaces: new Map([['default', {}]]),
  pods: [pod('web', '10.1.0.1', [HTTP]), pod('front', '10.1.0.2'), pod('db', '10.1.0.3', [HTTP, DNS]), pod('host', '10.0.0.1', [], true)],
  policies,
}
const ask = (question: Partial<NetworkQuestion>) => answerNetworkQuestion({ pod: 'web', namespace: 'default', ...question }, WORLD)

const FLOWS: readonly [question: Partial<NetworkQuestion>, text: string][] = [
  [
    { from: 'front' },
    'default/front → default/web, TCP 80: allowed\n  leaving: no policy selects it\n  arriving: allowed by web-in (rule 1)',
  ],
  [
    { from: 'db', port: 'http' },
    'default/db → default/web, TCP 80: denied\n  leaving: denied, for no rule of db-out allows it\n  arriving: denied, for no rule of web-in allows it',
  ],
  [
    { from: 'default/front', port: '81' },
    'default/front → default/web, TCP 81: denied\n  leaving: no policy selects it\n  arriving: denied, for no rule of web-in allows it',
  ],
  [
    { from: '203.0.113.9', port: '80/TCP' },
    '203.0.113.9 → default/web, TCP 80: denied\n  arriving: denied, for no rule of web-in allows it',
  ],
  [
    { to: 'db', port: 'dns' },
    'default/web → default/db, UDP 53: allowed\n  leaving: no policy selects it\n  arriving: no policy selects it',
  ],
  [{ to: '203.0.113.9', port: '53/UDP' }, 'default/web → 203.0.113.9, UDP 53: allowed\n  leaving: no policy selects it'],
]
for (const [question, text] of FLOWS)
  test(`one connection: ${JSON.stringify(question)}`, () => {
    const answer = ask(question)
    assert.equal(answer.text, text)
    assert.equal('allowed' in answer.report && answer.report.allowed, text.includes(': allowed\n'))
  })

const REFUSED: readonly [question: Partial<NetworkQuestion>, message: string][] = [
  [{ pod: 'nobody' }, 'there is no running pod default/nobody'],
  [{ pod: 'web', namespace: 'other' }, 'there is no running pod other/web'],
  [{ from: 'nobody' }, 'there is no running pod default/nobody'],
  [{ from: 'front', to: 'db' }, 'name one of --from and --to: the pod is the other end'],
  [{ to: 'db' }, 'name the port: --port 80, --port 53/UDP'],
  [{ to: 'front' }, 'name the port: --port 80, --port 53/UDP'],
  [{ to: '203.0.113.9' }, 'name the port: --port 80, --port 53/UDP'],
  [{ to: 'db', port: 'smtp' }, 'the receiver has no port "smtp"'],
  [{ to: 'db', port: '80/ICMP' }, 'the receiver has no port "80/ICMP"'],
]
for (const [question, message] of REFUSED)
  test(`refused: ${JSON.stringify(question)}`, () => assert.throws(() => ask(question), { message }))

test('about a pod: its policies, and which pods can connect to it', () => {
  assert.equal(
    ask({ pod: 'web' }).text,
    [
      'pod default/web',
      'Ingress: only this may come in:\n  web-in\n    rule 1: from pods app=front in this namespace, TCP http (now default/front)',
      'Egress: no policy selects it, so that everything may go out.',
      'Port TCP 80 (http)\n  reached by default/front\n  not by default/db, default/host',
    ].join('\n\n'),
  )
})

test('about a pod that may not speak to anybody', () =>
  assert.match(ask({ pod: 'db' }).text, /Egress: only this may go out:\n {2}db-out\n {4}allows nothing/))

test('about a pod with the address of its node', () =>
  assert.match(ask({ pod: 'host' }).text, /^pod default\/host\n\nIt has the address of its node/))
