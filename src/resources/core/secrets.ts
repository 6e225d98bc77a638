import { Pace, type Steps } from '../../base/steps.ts'
import { type FieldError, invalid, key, required, tooLong } from '../../machinery/field-error.ts'
import { goJsonFault } from '../../machinery/go/go-json-fault.ts'
import { configMapKey } from '../../machinery/names.ts'
import { setOwn } from '../../machinery/object.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateImmutableNamed } from '../../machinery/validation/object-meta.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { keyPairFault } from '../key-pair.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { MAX_DATA_BYTES, sizeBytes, validateFrozen } from './configmaps.ts'

type Secret = UncheckedObject<core.Secret>

export const secrets = define<Secret>({
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  columns: [
    NAME,
    { name: 'Type', describes: 'type', cell: (o) => o.type ?? '' },
    { name: 'Data', describes: 'data', cell: (o) => Object.keys(o.data ?? {}).length },
    AGE,
  ],
  selectableFields: { type: (o) => o.type ?? '' },
  rules: {
    defaults,
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...validateImmutableNamed(object.type, old.type, 'type'),
      ...validateFrozen(object, old, { fields: ['data'], bytes: 'data' }),
      ...validate(object),
    ],
    warnings: (object) => {
      if (object.type !== 'kubernetes.io/tls') return []
      const fault = keyPairFault(bytesOf(object, 'tls.crt').toString('latin1'), bytesOf(object, 'tls.key').toString('latin1'))
      return fault === undefined ? [] : [fault]
    },
  },
})

function defaults(draft: Secret): Steps<void> | undefined {
  if (!draft.type) draft.type = 'Opaque'
  const { stringData } = draft
  delete draft.stringData
  return stringData && encodeTexts(draft, stringData)
}

function* encodeTexts(draft: Secret, stringData: Readonly<Record<string, string>>): Steps<void> {
  const pace = new Pace()
  for (const name of Object.keys(stringData)) {
    draft.data ??= {}
    setOwn(draft.data, name, Buffer.from(stringData[name] ?? '').toString('base64'))
    if (pace.due(2)) yield
  }
}

function validate(object: Secret): FieldError[] {
  const data = object.data ?? {}
  const faults = faultsOfEach(Object.keys(data), (name) => invalidEach(key('data', name), name, configMapKey(name)))
  if (sizeBytes(data, 'base64') > MAX_DATA_BYTES) faults.push(tooLong('data', MAX_DATA_BYTES))
  return [...faults, ...validateContent(object, data)]
}

function validateContent(object: Secret, data: Record<string, string>): FieldError[] {
  const has = (name: string) => Object.hasOwn(data, name)
  const missing = (name: string) => required(key('data', name))
  switch (object.type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name'
      return object.metadata.annotations?.[annotation] ? [] : [required(key('metadata.annotations', annotation))]
    }
    case 'kubernetes.io/dockercfg':
      return has('.dockercfg') ? validateJson(object, '.dockercfg') : [missing('.dockercfg')]
    case 'kubernetes.io/dockerconfigjson':
      return has('.dockerconfigjson') ? validateJson(object, '.dockerconfigjson') : [missing('.dockerconfigjson')]
    case 'kubernetes.io/basic-auth':
      return has('username') || has('password') ? [] : [missing('username'), missing('password')]
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [missing('ssh-privatekey')]
    case 'kubernetes.io/tls':
      return ['tls.crt', 'tls.key'].filter((name) => !has(name)).map(missing)
    default:
      return []
  }
}

function validateJson(object: Secret, name: string): FieldError[] {
  const fault = goJsonFault(bytesOf(object, name).toString('utf8'), 'map[string]interface {}')
  return fault === undefined ? [] : [invalid(key('data', name), '<secret contents redacted>', fault)]
}

const bytesOf = (object: Secret, name: string): Buffer => Buffer.from(object.data?.[name] ?? '', 'base64')
