import { children, type DerValue, encode, oid, oidText, sequence, set, TAG, utf8 } from './der.ts'

/** The subject of a certificate: the user's name, and the groups. `uid` is an attribute of Kubernetes' own. */
export interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly uid?: string
  /** The other attributes that Go knows, by their type: country, organizational unit, locality and the like. */
  readonly others?: Readonly<Record<string, readonly string[]>>
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
/** Kubernetes' attribute for the uid of UserInfo. */
const UID = '1.3.6.1.4.1.57683.2'

const SERIAL_NUMBER = '2.5.4.5'
/** Country, organization, organizational unit, locality, province, street, postal code: in Go's order, before the common name. */
const BEFORE_NAME = ['2.5.4.6', ORGANIZATION, '2.5.4.11', '2.5.4.7', '2.5.4.8', '2.5.4.9', '2.5.4.17']
const OTHERS: ReadonlySet<string> = new Set([...BEFORE_NAME, SERIAL_NUMBER])

/** The DER of a Name: attributes of one type in one set (as Go writes them), then the common name. */
export function encodeName({ commonName, organizations, uid, others = {} }: Subject): Buffer {
  const attribute = (type: string, value: string) => sequence(oid(type), utf8(value))
  const all: Readonly<Record<string, readonly string[]>> = { ...others, [ORGANIZATION]: organizations }
  const setOf = (type: string) => ((all[type]?.length ?? 0) === 0 ? [] : [encodeSet((all[type] ?? []).map((v) => attribute(type, v)))])
  return sequence(
    ...BEFORE_NAME.flatMap(setOf),
    ...(commonName === '' ? [] : [set(attribute(COMMON_NAME, commonName))]),
    ...setOf(SERIAL_NUMBER),
    ...(uid === undefined ? [] : [set(attribute(UID, uid))]),
  )
}

/** DER requires the members of a SET OF in the order of their bytes. */
const encodeSet = (members: Buffer[]) => encode(TAG.set, ...members.sort(Buffer.compare))

/** Reads a Name; the last common name wins, as in Go. */
export function decodeName(name: DerValue): Subject {
  let commonName = ''
  let uid: string | undefined
  const organizations: string[] = []
  const others: Record<string, string[]> = {}
  for (const attribute of children(name).flatMap(children)) {
    const [type, value] = children(attribute)
    if (type === undefined || value === undefined) continue
    const id = oidText(type)
    if (id === COMMON_NAME) commonName = value.content.toString()
    else if (id === ORGANIZATION) organizations.push(value.content.toString())
    // Several uids are treated as none: a certificate must not identify two users.
    else if (id === UID) uid = uid === undefined ? value.content.toString() : ''
    else if (OTHERS.has(id)) others[id] = [...(others[id] ?? []), value.content.toString()]
  }
  return { commonName, organizations, ...(uid === undefined ? {} : { uid }), ...(Object.keys(others).length === 0 ? {} : { others }) }
}
