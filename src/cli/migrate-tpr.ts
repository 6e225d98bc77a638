import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { MigrationError, migrateThirdParty } from '../tools/migrate-third-party.ts'
import { kubeconfigOf } from './kubeconfig-file.ts'
import { existingFile, several, word } from './option-values.ts'
import { reportFailure } from './report-failure.ts'

/** `bowsprit migrate-tpr`: converts a ThirdPartyResource to a CustomResourceDefinition that keeps its objects. */
export function migrateTprCommand(): Command {
  return new Command('migrate-tpr')
    .description('turn ThirdPartyResources into CustomResourceDefinitions; their objects stay where they are')
    .argument('<name...>', 'such as cron-tab.stable.example.com', several(word))
    .option('--kubeconfig <file>', 'which cluster (default: KUBECONFIG)', existingFile)
    .action(async (names: string[], { kubeconfig = process.env.KUBECONFIG }: { kubeconfig?: string }) => {
      try {
        if (kubeconfig === undefined) throw new MigrationError('name a cluster with --kubeconfig')
        await using transport = httpsTransport(await kubeconfigOf({ kubeconfig }), { clock: systemClock })
        const client = createClient(transport)
        for (const name of names) {
          const { definition, objects } = await migrateThirdParty(client, name)
          console.log(
            `${name} is customresourcedefinition.apiextensions.k8s.io/${definition} now, with ${objects} ${objects === 1 ? 'object' : 'objects'}`,
          )
        }
      } catch (error) {
        reportFailure('migrate-tpr', error)
      }
    })
}
