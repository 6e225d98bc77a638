import type { IncomingHttpHeaders } from 'node:http'
import { SYSTEM_AUTHENTICATED, type UserInfo } from '../../../machinery/resource/user.ts'
import { USER_PREFIX } from '../../wire/protocol.ts'

/** A name of a user, in bytes. */
const MAX_NAME = 512

/** The user that a browser wants to see the cluster as; undefined: its own. A name that cannot be decoded belongs to no user. */
export function viewedAs(headers: IncomingHttpHeaders): UserInfo | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  const given = offered.find((name) => name.startsWith(USER_PREFIX))?.slice(USER_PREFIX.length)
  if (given === undefined) return undefined
  const name = Buffer.from(given.slice(0, 2 * MAX_NAME), 'hex').toString()
  return { name, groups: [...groupsOf(name), SYSTEM_AUTHENTICATED] }
}

/** Service accounts have groups by their names, as their tokens have. */
function groupsOf(name: string): readonly string[] {
  const [system, kind, namespace = '', account = ''] = name.split(':')
  const isAccount = system === 'system' && kind === 'serviceaccount' && account !== ''
  return isAccount ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : []
}
