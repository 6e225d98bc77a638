import { type AggregatedApi, createAggregatedApi } from '../../aggregated-api/aggregated-api.ts'
import type { AggregatedKind } from '../../aggregated-api/aggregated-kind.ts'
import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ContainerProcess, Program } from '../../node/programs/program.ts'
import { readFlags } from '../../node/programs/shipped/images/flags.ts'

const AGAIN_MS = 1000
const TEXT = { type: 'string' }

type Flunder = KubeObject<{ reference?: string; referenceType?: 'Flunder' | 'Fischer' }>

const KINDS: readonly [AggregatedKind<Flunder>, AggregatedKind] = [
  {
    kind: 'Flunder',
    plural: 'flunders',
    versions: [
      {
        name: 'v1alpha1',
        schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { reference: TEXT, referenceType: { type: 'string', enum: ['Flunder', 'Fischer'] } } },
            status: { type: 'object' },
          },
        },
      },
    ],
    prepare({ spec }) {
      if (spec?.reference !== undefined) spec.referenceType ??= 'Flunder'
    },
  },
  {
    kind: 'Fischer',
    plural: 'fischers',
    scope: 'Cluster',
    versions: [{ name: 'v1alpha1', schema: { type: 'object', properties: { disallowedFlunders: { type: 'array', items: TEXT } } } }],
  },
]

/**
 * The sample API server of Kubernetes' tests: flunders and fischers of `wardle.example.com/v1alpha1`, behind the cluster's API server. They
 * live as long as its process: it does not use the etcd of its flags.
 */
export const sampleApiServer: Program = async (container) => {
  const flags = readFlags(container.args)
  const { clock, random, files } = container
  const api = await createAggregatedApi({ group: 'wardle.example.com', kinds: KINDS }, { clock, random })
  const [cert, key] = await Promise.all(['tls-cert-file', 'tls-private-key-file'].map((name) => files.readFile(flags.text(name), 'utf8')))
  const connection = await accepting(container, api, { cert: cert ?? '', key: key ?? '' })
  await container.listen(flags.number('secure-port', 443), { connection })
}

/** The program may start before its role binding lets it read the client CAs. */
async function accepting(
  container: ContainerProcess,
  api: AggregatedApi,
  tls: { cert: string; key: string },
): ReturnType<AggregatedApi['accept']> {
  for (;;) {
    try {
      return await api.accept({ ...tls, client: container.client })
    } catch (error) {
      container.log(`unable to load configmap based request-header-client-ca-file: ${messageOf(error)}`)
      await container.clock.sleep(AGAIN_MS)
    }
  }
}
