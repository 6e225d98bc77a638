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

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PARAMETER = new RegExp(`\\s*;\\s*(${TOKEN})=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`, 'y')

/** Whether all parameters of a media type have a name of their own and a value, as Go requires. */
function hasValidParameters(header: string): boolean {
  const names = new Set<string>()
  let at = header.includes(';') ? header.indexOf(';') : header.length
  for (;;) {
    PARAMETER.lastIndex = at
    const name = PARAMETER.exec(header)?.[1]?.toLowerCase()
    if (name === undefined) return /^[\s;]*$/.test(header.slice(at))
    if (names.has(name)) return false
    names.add(name)
    at = PARAMETER.lastIndex
  }
}

const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/** The encoding that a `Content-Type` names; JSON by default. Throws 415 for an unsupported one. Custom resources have no protobuf. */
export function inputEncoding(header: string | undefined, protobuf: boolean): Encoding {
  if (header === undefined || header === '') return 'json'
  const type = hasValidParameters(header) ? bareMediaType(header) : undefined
  const encoding = type !== undefined && Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined
  if (encoding !== undefined && (protobuf || encoding !== 'protobuf')) return encoding
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    // Kubernetes names all of its types, also for custom resources.
    message: `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED.join(', ')}`,
  })
}
