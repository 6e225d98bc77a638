/** A thread that misbehaves on request; see `part-thread.test.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepAlive, systemClock } from '../../base/clock.ts'
import { Link } from '../../threads/link.ts'
import { MISDEEDS } from './misdeeds.double.ts'
import { PART_SERVICES } from './thread-protocol.ts'

if (parentPort === null) throw new Error('this is to be started as a worker thread')
const link = new Link(parentPort)
const release = keepAlive()
link.offer({
  [PART_SERVICES.alive]: (_asked, exchange) => exchange.end('{}'),
  [PART_SERVICES.stop]: (_asked, exchange) => {
    if (workerData.deed === 'deaf') return
    release()
    exchange.end('{}')
  },
})

systemClock.after(50, () => MISDEEDS[workerData.deed]?.())
