import { StatusError } from '../../../machinery/status-error.ts'

/** The encodings of bodies. */
export type Encoding = 'json' | 'yaml' | 'protobuf'

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
}

/** The type without its parameters, in lower case; undefined for an invalid media type. */
export function bareMediaType(header: string): string | undefined {
  const type = (header.split(';')[0] ?? '').trim().toLowerCase()
  return type.includes('/') ? type : undefined
}

/** The encoding that a `Content-Type` names; JSON by default. Throws 415 for an unsupported one. Custom resources have no protobuf. */
export function inputEncoding(header: string | undefined, protobuf: boolean): Encoding {
  if (header === undefined || header === '') return 'json'
  const type = bareMediaType(header)
  const encoding = type !== undefined && Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined
  if (encoding !== undefined && (protobuf || encoding !== 'protobuf')) return encoding
  const accepted = ['application/json', 'application/yaml', ...(protobuf ? ['application/vnd.kubernetes.protobuf'] : [])]
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  })
}
