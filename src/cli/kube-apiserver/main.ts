import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runKubeApiServer } = await import('./run.ts')
await runKubeApiServer(process.argv.slice(2))
