import { enableCompileCache } from 'node:module'

enableCompileCache()
const { startEtcd } = await import('./start-etcd.ts')
await startEtcd(process.argv.slice(2))
