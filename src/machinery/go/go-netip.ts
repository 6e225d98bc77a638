/** Why Go's `netip.ParseAddr` refuses an address; undefined: it does not. */
export function addressFault(text: string): string | undefined {
  const fault = faultIn(text)
  if (fault === undefined) return undefined
  return `ParseAddr(${JSON.stringify(text)}): ${fault.why}${fault.at === undefined ? '' : ` (at ${JSON.stringify(fault.at)})`}`
}

/** Why Go's `netip.ParsePrefix` refuses a network; undefined: it does not. */
export function prefixFault(text: string): string | undefined {
  const why = (fault: string) => `netip.ParsePrefix(${JSON.stringify(text)}): ${fault}`
  const slash = text.lastIndexOf('/')
  if (slash < 0) return why("no '/'")
  const address = text.slice(0, slash)
  const fault = addressFault(address)
  if (fault !== undefined) return why(fault)
  if (address.includes('%')) return why('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(?:\d|[1-9]\d+)$/.test(bits)) return why(`bad bits after slash: ${JSON.stringify(bits)}`)
  return Number(bits) > (address.includes(':') ? 128 : 32) ? why('prefix length out of range') : undefined
}

/** `at`: where the text is wrong. */
interface AddressFault {
  readonly why: string
  readonly at?: string
}

function faultIn(text: string): AddressFault | undefined {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return faultOfV4(text)
    case ':':
      return faultOfV6(text)
    case '%':
      return { why: 'missing IPv6 address' }
    default:
      return { why: 'unable to parse IP' }
  }
}

function faultOfV4(text: string): AddressFault | undefined {
  let fields = 1
  let field = ''
  for (const [i, c] of [...text].entries()) {
    const at = text.slice(i)
    if (/\d/.test(c)) {
      if (field === '0') return { why: 'IPv4 field has octet with leading zero' }
      field += c
      if (Number(field) > 255) return { why: 'IPv4 field has value >255' }
    } else if (c !== '.') return { why: 'unexpected character', at }
    else if (field === '' || at === '.') return { why: 'IPv4 field must have at least one digit', at }
    else if (fields === 4) return { why: 'IPv4 address too long' }
    else {
      fields++
      field = ''
    }
  }
  return fields < 4 ? { why: 'IPv4 address too short' } : undefined
}

/** The fields of an address of version 6. */
const FIELDS = 8

function faultOfV6(text: string): AddressFault | undefined {
  const [whole = '', ...zone] = text.split('%')
  if (zone.length > 0 && zone.join('%') === '') return { why: 'zone must be a non-empty string' }
  let omits = whole.startsWith('::')
  let at = omits ? whole.slice(2) : whole
  let fields = 0
  while (at !== '' && fields < FIELDS) {
    const digits = /^[0-9a-f]*/i.exec(at)?.[0] ?? ''
    if (digits.length > 4) return { why: 'each group must have 4 or less digits', at }
    if (digits === '') return { why: 'each colon-separated field must have at least one digit', at }
    const rest = at.slice(digits.length)
    if (rest.startsWith('.')) {
      if (!omits && fields !== FIELDS - 2) return { why: 'embedded IPv4 address must replace the final 2 fields of the address', at }
      if (fields > FIELDS - 2) return { why: 'too many hex fields to fit an embedded IPv4 at the end of the address', at }
      const fault = faultOfV4(at)
      if (fault !== undefined) return fault
      fields += 2
      at = ''
      break
    }
    fields++
    if (rest !== '' && !rest.startsWith(':')) return { why: 'unexpected character, want colon', at: rest }
    if (rest === ':') return { why: 'colon must be followed by more characters', at: rest }
    at = rest.slice(1)
    if (!at.startsWith(':')) continue
    if (omits) return { why: 'multiple :: in address', at }
    omits = true
    at = at.slice(1)
  }
  if (at !== '') return { why: 'trailing garbage after address', at }
  if (fields < FIELDS) return omits ? undefined : { why: 'address string too short' }
  return omits ? { why: 'the :: must expand to at least one field of zeros' } : undefined
}
