import { isObject } from '../../src/machinery/object.ts'
import type { Difference } from './compare.ts'
import { stepOf } from './signature.ts'

interface Rule {
  readonly reason: string
  /** The first difference of a case, as `Difference.why` has it. */
  readonly why: RegExp
}

/** What differs on purpose (`docs/differences.md`, `test/recorded/known-differences.txt`), by rule. */
const ON_PURPOSE: readonly Rule[] = [
  { reason: "descriptions of a table's columns are our own", why: /\/columnDefinitions\/\d+\/description: / },
  { reason: "descriptions of a table's columns are our own", why: /\/text: want "apiVersion: meta.k8s.io\/\w+\\ncolumnDefinitions/ },
  {
    reason: 'a pod whose eviction is refused for its options is not marked as disrupted',
    why: /pods\/a(?:\/\w+)?\S* \/body\/status\/conditions\S*: want .*DisruptionTarget/,
  },
  {
    reason: 'a PATCH of a collection, which has no name: of two faults another one is found first',
    why: /^step \d+ PATCH \S*\/widgets\/?(\?\S*)? \/code: want 415, got 400/,
  },
  { reason: 'Kubernetes meets unknown fields in any order', why: /typed patch object .*field not declared in schema/s },
  {
    reason: 'what the network of this machine answers for an address outside of it',
    why: /\/nodes\/\S+\/proxy\S* \/(?:type: |text: |body\/message: want "lookup )/,
  },
  {
    reason: 'a host name that only the node knows is not its address where it has another one',
    why: /\/nodes\/\S+\/proxy\S* \/code: want 400, got (?:301|403|502|503)/,
  },
  {
    reason: 'an object that an apply creates is not born deleted',
    why: /\/metadata\/deletion(Timestamp|GracePeriodSeconds): want .*, got \(nothing\)/,
  },
  {
    reason: 'a write that follows an apply of an item with an empty key does not drop all owners of fields',
    why: /\/metadata\/managedFields: want \(nothing\), got .*k:\{(\\+"\w+\\+":\\+"\\+",?)+\}/,
  },
  { reason: 'a watch of Kubernetes may begin before its cache has the last write', why: /\/events\/0\/type: want "ERROR", got "ADDED"/ },
  {
    reason: 'Kubernetes converts the members of an applied map in any order: of two that are no base64, any is met first',
    why: /^step \d+ PATCH \S*fieldManager=\S* \/body\/message: want ".*(illegal base64 data at input byte )\d+", got ".*\1\d+"$/,
  },
  {
    reason: 'a limit range without a name gets one by chance, and lists are in the order of names',
    why: /\/limitranges\S* \/body\/(?:items|rows)\/\d+\/\S*: .*"<uid>"/,
  },
  {
    reason: 'changes can be watched again for 5 minutes; in Kubernetes for as long as the cache of their resource has room',
    why: /[?&]resourceVersion=\d+\b.* \/events\/0(?:\/type: want "ADDED", got "ERROR"|: want \(nothing\), got .*too old resource version)/,
  },
  {
    reason: 'an old revision can be listed for 5 minutes; in Kubernetes until its store is compacted, every 5 minutes',
    why: /[?&]resourceVersion=\d+\b.* \/code: want 200, got 410$/,
  },
  { reason: 'a watch whose time is over is ended by Kubernetes with an error, or without', why: /[?&]timeoutSeconds=-\d+.* \/events/ },
  {
    reason: 'the next bookmark of Kubernetes comes about a second after the initial ones, at no certain time',
    why: /\/events\/[1-9]\d*: want \{"type":"BOOKMARK","object":(?!.*initial-events-end).*, got \(nothing\)/,
  },
  {
    reason: 'a binding of another case names a role that is gone: which one is met first is chance',
    why: /subjectaccessreviews\S* \/body\/status\/reason: want "RBAC: .* not found", got "RBAC: .* not found"$/,
  },
  {
    reason: 'the faults of a message are compared in the order of their texts, and those of ids differ',
    why: /\/causes\/\d+\/message: want "Required value: must be '[^']*'", got "Required value: must be '[^']*'"$/,
  },
  {
    reason: 'the status of a Service shows no policy that the Service does not show',
    why: /\/services\/\w+\/status\S* \/body\/spec\/internalTrafficPolicy: want .*, got \(nothing\)/,
  },
  {
    reason: 'of unknown fields those whose names are whole numbers are reported first',
    why: /\/warnings\/\d+: want "299 - .*unknown field .*, got "299 - .*unknown field [^ ]*?\b\d+\W*$/,
  },
  { reason: 'another parser of YAML names the first fault otherwise', why: /\/message: want ".*\byaml: .*", got ".*\byaml: / },
  {
    reason: 'webhooks see a binding without managed fields',
    why: /\/binding\S* \/body\/message: want ".*denied the request: \{/,
  },
  {
    reason: 'Kubernetes meets the faults of a strategic patch in any order, and panics on some',
    why: /strategic-merge.*(unrecognized|map: map\[)/,
  },
]

export function reasonOf(difference: Difference): string | undefined {
  if (hasSameFaults(difference)) return 'Kubernetes meets the faults of an applied configuration in any order'
  if (refusesFractions(difference)) return 'a whole number of a custom object is the same with a fraction (`1.0`)'
  return ON_PURPOSE.find((rule) => rule.why.test(difference.why))?.reason
}

/** Whether the real server refuses a whole number that is written with a fraction. */
const refusesFractions = ({ why, case: { steps } }: Difference): boolean =>
  JSON.stringify(steps[stepOf(why)]?.expect?.body ?? null).includes(' is of the type float64, expected int64')

/** Whether our message has only lines of faults of the real one. `why` has the beginnings of both. */
function hasSameFaults({ why, case: { steps } }: Difference): boolean {
  const [, got] = /\/message: want ".*errors:\\n.*, got (".*errors:\\n.*)$/s.exec(why) ?? []
  const body = steps[stepOf(why)]?.expect?.body
  if (got === undefined || !isObject(body) || typeof body.message !== 'string') return false
  const real = new Set(body.message.split('\n'))
  const whole = got.endsWith('"')
  const lines = got
    .slice(1, whole ? -1 : undefined)
    .split('\\n')
    .map((line) => line.replaceAll('\\"', '"'))
  return lines.slice(0, whole ? undefined : -1).every((line) => real.has(line))
}
