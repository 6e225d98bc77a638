import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimeIn, networksIn } from './machine-counters.ts'

test('idle time and waiting for disks are not processor time', () => {
  // user nice system idle iowait irq softirq steal guest guest_nice
  const stat = 'cpu  100 10 50 9000 800 3 2 1 70 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5\n'
  assert.equal(cpuTimeIn(stat), 166 * 1e7)
})

test('the interface of the way out comes first; those of pods and loopback are left out', () => {
  const devices = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     500       5    0    0    0     0          0         0      500       5    0    0    0     0       0          0
  cni0:     100       1    2    0    0     0          0         0      300       3    4    0    0     0       0          0
veth01:     100       1    0    0    0     0          0         0      300       3    0    0    0     0       0          0
  eth0:    1000      10    1    0    0     0          0         0     2000      20    0    0    0     0       0          0
`
  const routes = 'Iface\tDestination\tGateway\ncni0\t0000F40A\t00000000\neth0\t00000000\t010200C0\n'
  assert.deepEqual(networksIn(devices, routes), [
    { name: 'eth0', rxBytes: 1000, rxErrors: 1, txBytes: 2000, txErrors: 0 },
    { name: 'cni0', rxBytes: 100, rxErrors: 2, txBytes: 300, txErrors: 4 },
  ])
})
