/** Stand-ins with mistakes of kinds that are not on the list of published bugs. */
import type { JSONSchemaProps } from '../../../src/resources/types/apiextensions.ts'
import type { KnownMistake } from './published-bugs.ts'
import { database, databases } from './stand-in.ts'
import { cameBack } from './stand-ins/came-back.ts'
import { claimLeft } from './stand-ins/claim-left.ts'
import { conflictSwallowed } from './stand-ins/conflict-swallowed.ts'
import { crashInRecovery } from './stand-ins/crash-in-recovery.ts'
import { deletionStuck } from './stand-ins/deletion-stuck.ts'
import { errorSwallowed } from './stand-ins/error-swallowed.ts'
import { labelKept } from './stand-ins/label-kept.ts'
import { madeAnew } from './stand-ins/made-anew.ts'
import { madeTwice } from './stand-ins/made-twice.ts'
import { markedBefore } from './stand-ins/marked-before.ts'
import { othersOverwritten } from './stand-ins/others-overwritten.ts'
import { pairOfFields } from './stand-ins/pair-of-fields.ts'
import { passwordAnew } from './stand-ins/password-anew.ts'
import { rememberedInMemory } from './stand-ins/remembered-in-memory.ts'
import { sharedRole } from './stand-ins/shared-role.ts'
import { storageSwitched } from './stand-ins/storage-switched.ts'
import { stuckImage } from './stand-ins/stuck-image.ts'
import { sweptOnce } from './stand-ins/swept-once.ts'
import { twinPrefix } from './stand-ins/twin-prefix.ts'
import { upgradeStuck } from './stand-ins/upgrade-stuck.ts'
import { userLeft } from './stand-ins/user-left.ts'

const NAMED: JSONSchemaProps = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const SIZE = { install: [databases({ size: { type: 'integer', minimum: 1 } })], sample: database({ size: 1 }) }
const NO_FIELDS = { install: [databases({})], sample: database({}) }

export const OTHER_MISTAKES: readonly KnownMistake[] = [
  {
    id: 'an error is swallowed',
    operator: errorSwallowed,
    install: [databases({ mode: { type: 'string', enum: ['a', 'b'] } })],
    sample: database({ mode: 'a' }),
    found: /^stuck, error: ConfigMap default\/d is missing$/,
  },
  {
    id: 'work is remembered in memory',
    operator: rememberedInMemory,
    ...NO_FIELDS,
    found: /^data lost, error: Secret default\/d is missing$/,
  },
  {
    id: 'what others write is overwritten',
    operator: othersOverwritten,
    ...NO_FIELDS,
    found: /^wrong, conflict: Database default\/d: an annotation that somebody else has set is gone$/,
  },
  {
    id: 'a conflict is swallowed',
    operator: conflictSwallowed,
    ...SIZE,
    found: /^wrong, conflict: ConfigMap default\/d: \.data\.size is 1, not 2$/,
  },
  { id: 'a crash in the recovery', operator: crashInRecovery, ...NO_FIELDS, found: /^stuck, crash: ConfigMap default\/d-data is missing$/ },
  {
    id: 'a password is made anew',
    operator: passwordAnew,
    ...NO_FIELDS,
    found: /^wrong, \w+: Secret default\/d: \.data\.password is .*, not /,
  },
  {
    id: 'another object with the same beginning',
    operator: twinPrefix,
    ...NO_FIELDS,
    found: /^data lost, no fault: PersistentVolumeClaim default\/data-d is deleted once, not never$/,
  },
  {
    id: 'another object of the same name',
    operator: sharedRole,
    ...NO_FIELDS,
    found: /^wrong, no fault: ClusterRole \/d is deleted once, not never$/,
  },
  {
    id: 'an image that cannot be pulled',
    operator: stuckImage,
    install: [databases({ image: { type: 'string' } })],
    sample: database({ image: 'pause' }),
    found: /^wrong, no fault: Deployment default\/d: .*\.image is trial\.invalid\/no-such-image:1, not pause$/,
  },
  {
    id: 'a label that is kept',
    operator: labelKept,
    install: [databases({ labels: { type: 'object', additionalProperties: { type: 'string' } } })],
    sample: database({ labels: { a: 'b' } }),
    found: /^wrong, no fault: ConfigMap default\/d: \.metadata\.labels\.x is x, not absent$/,
  },
  {
    id: 'a secret that is left',
    operator: userLeft,
    install: [databases({ users: { type: 'array', items: NAMED } })],
    sample: database({ users: [{ name: 'a' }] }),
    found: /^wrong, no fault: Secret default\/d-x is left over$/,
  },
  {
    id: 'an upgrade that never ends',
    operator: upgradeStuck,
    install: [databases({ version: { type: 'string' } })],
    sample: database({ version: '1.0' }),
    found: /^wrong, crash: Database default\/d: \.status\.phase is Upgrading, not Ready$/,
  },
  {
    id: 'a pair of fields',
    operator: pairOfFields,
    install: [databases({ metrics: { type: 'boolean' }, port: { type: 'integer', minimum: 1 } })],
    sample: database({}),
    found: /^wrong, no fault: ConfigMap default\/d-metrics: \.data\.port is \d+, not \d+$/,
  },
  {
    id: 'an object that comes back',
    operator: cameBack,
    ...NO_FIELDS,
    found: /^wrong, \w+: Database default\/d is left over$/,
  },
  {
    id: 'a claim that is left',
    operator: claimLeft,
    install: [databases({ size: { type: 'integer', minimum: 1 } })],
    sample: database({ size: 2 }),
    found: /^wrong, crash: PersistentVolumeClaim default\/member-d-\d-of is left over$/,
  },
  {
    id: 'a deletion that never ends',
    operator: deletionStuck,
    ...NO_FIELDS,
    found: /^wrong, crash: Database default\/d is left over$/,
  },
  {
    id: 'an object that is made twice',
    operator: madeTwice,
    ...NO_FIELDS,
    found: /^wrong, order: ConfigMap default\/d-backup-\* is there 2 times, not 1$/,
  },
  {
    id: 'a note that comes first',
    operator: markedBefore,
    install: [databases({ password: { type: 'string' } })],
    sample: database({ password: 'a' }),
    found: /^data lost, crash: Secret default\/d is missing$/,
  },
  {
    id: 'a switch that is refused',
    operator: storageSwitched,
    install: [databases({ storage: { type: 'string', enum: ['persistent', 'ephemeral'] } })],
    sample: database({ storage: 'persistent' }),
    found: /^stuck, no fault: patch statefulsets default\/d → 422: /,
  },
  {
    id: 'an object that is made anew',
    operator: madeAnew,
    ...NO_FIELDS,
    found: /^wrong, order: Database default\/d is left over$/,
  },
  {
    id: 'a clean-up that comes once',
    operator: sweptOnce,
    ...NO_FIELDS,
    found: /^wrong, late: ConfigMap default\/d-data is left over$/,
  },
]
