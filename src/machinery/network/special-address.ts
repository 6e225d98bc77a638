import { BlockList, isIP } from 'node:net'

const SPECIAL = (() => {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8)
  list.addSubnet('0.0.0.0', 8)
  list.addSubnet('169.254.0.0', 16)
  list.addSubnet('224.0.0.0', 4)
  list.addAddress('255.255.255.255')
  list.addAddress('::1', 'ipv6')
  list.addAddress('::', 'ipv6')
  list.addSubnet('fe80::', 10, 'ipv6')
  list.addSubnet('ff00::', 8, 'ipv6')
  return list
})()

/** Whether this is a loopback, link-local or multicast address, which no pod has: nothing may be reached there in the name of a user. */
export function isSpecialAddress(host: string): boolean {
  const family = isIP(host)
  return family !== 0 && SPECIAL.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
