import type { ImagePrograms } from '../../node/programs/program.ts'

/**
 * Images that come with the cluster as `SHIPPED_IMAGES` do, and are API servers of their own: the node knows of none. What they need is
 * loaded when the first is run.
 */
export const SHIPPED_SERVERS: ImagePrograms = {
  'registry.k8s.io/e2e-test-images/sample-apiserver': {
    run: async (container) => (await import('./sample-api-server.ts')).sampleApiServer(container),
    entrypoint: ['/sample-apiserver'],
  },
}
