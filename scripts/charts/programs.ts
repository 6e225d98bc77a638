/** As much of other people's programs as their charts wait for. */

import { isStatus } from '../../src/machinery/status-error.ts'
import type { ContainerProcess, Program } from '../../src/node/programs/program.ts'
import { SECRETS } from '../../src/resources/refs.ts'
import type { Secret } from '../../src/resources/types/core.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'

/** Answers at each port that the manifest declares, until it is stopped. */
export async function serve(container: ContainerProcess, answer: () => Response = () => new Response('ok')): Promise<void> {
  for (const port of container.facts.ports) await container.listen(port, answer)
  await container.clock.sleep(Number.MAX_SAFE_INTEGER)
}

/** Makes the secrets with certificates that other pods of the chart mount. One that is there already is left alone. */
export async function makeCertificates(container: ContainerProcess, names: readonly string[]): Promise<void> {
  const { namespace } = container.facts.pod
  for (const name of names) {
    const { cert, key, ca } = testCertificate([`*.${namespace}.svc`])
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key },
    }
    await container.client.create({ ...SECRETS, namespace }, secret).catch((error: unknown) => {
      if (!isStatus(error, 'AlreadyExists')) throw error
    })
  }
}

/** Makes secrets, and is ready from then on. */
export const certifying =
  (...names: string[]): Program =>
  async (container) => {
    await makeCertificates(container, names)
    await serve(container)
  }
