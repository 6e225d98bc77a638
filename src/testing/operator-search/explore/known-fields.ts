import { isObject } from '../../../machinery/object.ts'
import type { FieldValue } from './field-value.ts'

/** No node has such a label. */
const NOWHERE = { 'trial.bowsprit.dev/nowhere': 'true' }

const NOWHERE_AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'trial.bowsprit.dev/nowhere', operator: 'Exists' }] }],
    },
  },
}

/** What every node has. */
const SMALL = { cpu: '10m', memory: '16Mi' }

/** A template with a container that only a running pod may have. */
const REFUSED_TEMPLATE = { spec: { ephemeralContainers: [{ name: 'trial', image: 'busybox' }] } }

/** No node is of such a zone: of two pods one has to wait. */
const NOWHERE_SPREAD = [{ maxSkew: 1, topologyKey: 'trial.bowsprit.dev/nowhere', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }]

/** Fields whose form is known by their name: their values are what no cluster can satisfy, or no API server accepts in a pod. */
const KNOWN: readonly (readonly [name: RegExp, values: (now: unknown) => readonly FieldValue[]])[] = [
  [/nodeSelector$/i, () => [bad(NOWHERE)]],
  [/affinity$/i, () => [bad(NOWHERE_AFFINITY)]],
  [
    /^resources$|Resources$/,
    (now) => [
      { value: { ...objectOf(now), requests: SMALL }, sort: 'plain' },
      bad({ requests: { cpu: '4000' } }),
      bad({ ...objectOf(now), requests: { 'example.com/nothing': '1' } }),
    ],
  ],
  [/^(pod)?template$|podTemplate(Spec)?$/i, (now) => [bad(merged(now, REFUSED_TEMPLATE))]],
  [/^image$|Image$/, (now) => (typeof now === 'object' ? [] : [bad('trial.invalid/no-such-image:1')])],
  [/^priorityClass(Name)?$/i, () => [bad('trial-no-such-class')]],
  [/^runtimeClass(Name)?$/i, () => [bad('trial-no-such-class')]],
  [/^schedulerName$/i, () => [bad('trial-no-such-scheduler')]],
  [/^topologySpreadConstraints$/i, () => [bad(NOWHERE_SPREAD)]],
  [/^storageClass(Name)?$/i, () => [bad('trial-no-such-class')]],
]

/** The values of a field that is known by its name; undefined: it is not. */
export const knownValues = (name: string, now: unknown): readonly FieldValue[] | undefined =>
  KNOWN.find(([known]) => known.test(name))?.[1](now)

/** The form of these is known: nothing in them is changed by itself. */
export const isKnownWhole = (name: string) => /nodeSelector$|affinity$|^topologySpreadConstraints$/i.test(name)

const bad = (value: unknown): FieldValue => ({ value, sort: 'bad' })
const objectOf = (value: unknown) => (isObject(value) ? value : {})

function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b
  return { ...a, ...Object.fromEntries(Object.entries(b).map(([name, value]) => [name, merged(a[name], value)])) }
}
