import { children, type DerValue, encode, oid, oidText, sequence, set, TAG, utf8 } from './der.ts'

/** The subject of a certificate: the user's name, and the groups. `uid` is an attribute of Kubernetes' own. */
export interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly uid?: string
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
/** Kubernetes' attribute for the uid of UserInfo. */
const UID = '1.3.6.1.4.1.57683.2'

/** The DER of a Name: organizations in one set (as Go writes them), then the common name. */
export function encodeName(subject: Subject): Buffer {
  const attribute = (type: string, value: string) => sequence(oid(type), utf8(value))
  return sequence(
    ...(subject.organizations.length === 0 ? [] : [encodeSet(subject.organizations.map((o) => attribute(ORGANIZATION, o)))]),
    ...(subject.commonName === '' ? [] : [set(attribute(COMMON_NAME, subject.commonName))]),
    ...(subject.uid === undefined ? [] : [set(attribute(UID, subject.uid))]),
  )
}

/** DER requires the members of a SET OF in the order of their bytes. */
const encodeSet = (members: Buffer[]) => encode(TAG.set, ...members.sort(Buffer.compare))

/** Reads a Name; the last common name wins, as in Go. */
export function decodeName(name: DerValue): Subject {
  let commonName = ''
  let uid: string | undefined
  const organizations: string[] = []
  for (const attribute of children(name).flatMap(children)) {
    const [type, value] = children(attribute)
    if (type === undefined || value === undefined) continue
    const id = oidText(type)
    if (id === COMMON_NAME) commonName = value.content.toString()
    else if (id === ORGANIZATION) organizations.push(value.content.toString())
    // Several uids are treated as none: a certificate must not identify two users.
    else if (id === UID) uid = uid === undefined ? value.content.toString() : ''
  }
  return { commonName, organizations, ...(uid === undefined ? {} : { uid }) }
}
