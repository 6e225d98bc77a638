import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Upkeep } from '../kubernetes-service/upkeep.ts'
import type { PeerAddress, PeerAddresses } from './peer-addresses.ts'

export interface KeptAddress {
  readonly identity: string
  readonly address: PeerAddress
}

/** Keeps this server's address for others, until it stops. */
export function keepAddress({ identity, address }: KeptAddress, addresses: PeerAddresses, log: Logger): Pick<Upkeep, 'sync' | 'leave'> {
  const logged = (work: Promise<void>) =>
    work.catch((error: unknown) => log.warn('unable to update peer endpoint leases', { error: messageOf(error) }))
  return { sync: () => logged(addresses.renew(identity, address)), leave: () => logged(addresses.leave(identity)) }
}
