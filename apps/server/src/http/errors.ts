export {
  conflict,
  HttpError,
  internalError,
  invalidBody,
  notFound,
  toIssues,
} from '@payment-intents/rules'
