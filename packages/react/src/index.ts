export {
  type ServiceModal,
  type ServiceModalStatus,
  type UseServiceModalOptions,
  useServiceModal,
} from './useServiceModal.ts'
