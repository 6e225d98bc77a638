import type { Action, Review } from '../../apiserver/extension-points.ts'
import type { ServiceAccountOptions } from './auth-options.ts'
import type { Authentication } from './authenticators/open-authentication.ts'
import { tokenSigner } from './authenticators/service-account-tokens.ts'
import type { Authorization } from './authorizers/open-authorization.ts'
import { openIdPages } from './openid-pages.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './reviews/access-review.ts'
import { selfSubjectReview, tokenReview } from './reviews/identity-review.ts'
import { selfSubjectRulesReview } from './reviews/rules-review.ts'
import { tokenRequest } from './reviews/token-request.ts'

/** The parts of authentication that `createServer` needs in addition to authenticators and authorizers. */
export interface Auth {
  /** For `ServerDeps.reviews`, by the plural of the resource. */
  readonly reviews: Readonly<Record<string, Review>>
  /** For `ServerDeps.pages`. */
  readonly pages: ReturnType<typeof openIdPages>
  /** For `ServerDeps.actions`. */
  readonly actions: Readonly<Record<string, Action>>
}

export function createAuth(
  { serviceAccounts }: { readonly serviceAccounts: ServiceAccountOptions },
  deps: { readonly authentication: Pick<Authentication, 'tokens' | 'own'>; readonly authorization: Pick<Authorization, 'rules'> },
): Auth {
  return {
    reviews: {
      subjectaccessreviews: subjectAccessReview,
      localsubjectaccessreviews: localSubjectAccessReview,
      selfsubjectaccessreviews: selfSubjectAccessReview,
      selfsubjectrulesreviews: selfSubjectRulesReview(deps.authorization.rules),
      selfsubjectreviews: selfSubjectReview,
      tokenreviews: tokenReview(deps.authentication.tokens),
    },
    pages: openIdPages(serviceAccounts),
    actions: {
      'serviceaccounts/token': tokenRequest(tokenSigner(serviceAccounts), {
        ...serviceAccounts,
        issuer: serviceAccounts.issuers[0] ?? '',
        own: deps.authentication.own,
      }),
    },
  }
}
