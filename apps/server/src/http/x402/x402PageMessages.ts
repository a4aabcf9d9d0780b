const en = {
  open: {
    title: 'This link is for programs',
    text: 'A program or an AI agent can pay {amount} to {merchant} with it (x402). To pay yourself, go back to where you got the link and choose another way to pay.',
  },
  paid: {
    title: 'This payment is complete',
    text: '{amount} to {merchant} is paid. There is nothing left to do.',
  },
  ended: {
    title: 'This link cannot be paid',
    text: 'It is wrong or too old, or the payment has ended. If you have sent something, do not pay again: the shop can see it. If not, go back to where you got the link.',
  },
}

export type X402PageState = keyof typeof en

/** The page of an x402 link in every language of the checkout. */
export const x402PageMessages = {
  en,
  es: {
    open: {
      title: 'Este enlace es para programas',
      text: 'Un programa o un agente de IA puede pagar con él {amount} a {merchant} (x402). Si quieres pagar tú, vuelve a donde te dieron el enlace y elige otra forma de pago.',
    },
    paid: {
      title: 'Este pago está completado',
      text: '{amount} a {merchant}: pagado. No tienes que hacer nada más.',
    },
    ended: {
      title: 'Con este enlace no se puede pagar',
      text: 'Es incorrecto o demasiado antiguo, o el pago ha terminado. Si enviaste algo, no vuelvas a pagar: la tienda puede verlo. Si no, vuelve a donde te dieron el enlace.',
    },
  },
  pt: {
    open: {
      title: 'Este link é para programas',
      text: 'Um programa ou agente de IA pode pagar com ele {amount} a {merchant} (x402). Para pagar você mesmo, volte para onde recebeu o link e escolha outra forma de pagamento.',
    },
    paid: {
      title: 'Este pagamento está concluído',
      text: '{amount} a {merchant}: pago. Não há mais nada a fazer.',
    },
    ended: {
      title: 'Não é possível pagar por este link',
      text: 'Ele está errado ou é antigo demais, ou o pagamento terminou. Se você enviou algo, não pague de novo: a loja consegue ver. Se não, volte para onde recebeu o link.',
    },
  },
  fr: {
    open: {
      title: 'Ce lien est destiné aux programmes',
      text: 'Un programme ou un agent d’IA peut s’en servir pour payer {amount} à {merchant} (x402). Pour payer vous-même, retournez là où vous avez reçu le lien et choisissez un autre moyen de paiement.',
    },
    paid: {
      title: 'Ce paiement est terminé',
      text: '{amount} à {merchant} : payé. Vous n’avez plus rien à faire.',
    },
    ended: {
      title: 'Ce lien ne permet pas de payer',
      text: 'Il est incorrect ou trop ancien, ou le paiement est clos. Si vous avez envoyé quelque chose, ne payez pas à nouveau : la boutique peut le voir. Sinon, retournez là où vous avez reçu le lien.',
    },
  },
  de: {
    open: {
      title: 'Dieser Link ist für Programme',
      text: 'Ein Programm oder KI-Agent kann damit {amount} an {merchant} zahlen (x402). Um selbst zu bezahlen, gehen Sie dorthin zurück, wo Sie den Link erhalten haben, und wählen Sie dort einen anderen Zahlungsweg.',
    },
    paid: {
      title: 'Diese Zahlung ist abgeschlossen',
      text: '{amount} an {merchant} sind bezahlt. Sie müssen nichts mehr tun.',
    },
    ended: {
      title: 'Über diesen Link kann nicht bezahlt werden',
      text: 'Er ist falsch oder zu alt, oder die Zahlung ist beendet. Falls Sie etwas gesendet haben, zahlen Sie nicht noch einmal: Der Shop kann es sehen. Sonst gehen Sie dorthin zurück, wo Sie den Link erhalten haben.',
    },
  },
  it: {
    open: {
      title: 'Questo link è per i programmi',
      text: 'Un programma o un agente IA può usarlo per pagare {amount} a {merchant} (x402). Se vuoi pagare tu, torna dove hai ricevuto il link e scegli un altro modo di pagare.',
    },
    paid: {
      title: 'Questo pagamento è completato',
      text: '{amount} a {merchant}: pagato. Non devi fare altro.',
    },
    ended: {
      title: 'Con questo link non si può pagare',
      text: 'È errato o troppo vecchio, oppure il pagamento è chiuso. Se hai già inviato qualcosa, non pagare di nuovo: il negozio può vederlo. Altrimenti torna dove hai ricevuto il link.',
    },
  },
  ja: {
    open: {
      title: 'このリンクはプログラム用です',
      text: 'プログラムやAIエージェントが、このリンクで{merchant}に{amount}を支払えます（x402）。ご自身で支払うには、リンクを受け取った場所に戻り、別の支払い方法を選んでください。',
    },
    paid: {
      title: 'この支払いは完了しています',
      text: '{merchant}への{amount}の支払いは済んでいます。これ以上の操作は必要ありません。',
    },
    ended: {
      title: 'このリンクでは支払えません',
      text: 'リンクが間違っているか古すぎるか、支払いが終了しています。すでに送金した場合は、もう一度支払わないでください。お店で確認できます。まだの場合は、リンクを受け取った場所に戻ってください。',
    },
  },
  ko: {
    open: {
      title: '프로그램용 링크예요',
      text: '프로그램이나 AI 에이전트가 이 링크로 {merchant}에 {amount} 금액을 결제할 수 있어요(x402). 직접 결제하려면 링크를 받은 곳으로 돌아가 다른 결제 방법을 선택하세요.',
    },
    paid: {
      title: '완료된 결제예요',
      text: '{merchant}에 {amount} 결제가 끝났어요. 더 할 일은 없어요.',
    },
    ended: {
      title: '이 링크로는 결제할 수 없어요',
      text: '링크가 잘못됐거나 너무 오래됐거나 결제가 종료됐어요. 이미 보낸 금액이 있다면 다시 결제하지 마세요. 판매자가 확인할 수 있어요. 아니라면 링크를 받은 곳으로 돌아가세요.',
    },
  },
  zh: {
    open: {
      title: '此链接供程序使用',
      text: '程序或 AI 代理可以用它向 {merchant} 支付 {amount}（x402）。如需自己付款，请回到获得链接的地方，选择其他付款方式。',
    },
    paid: {
      title: '此付款已完成',
      text: '已向 {merchant} 支付 {amount}，无需再操作。',
    },
    ended: {
      title: '无法通过此链接付款',
      text: '链接有误或已失效，或者付款已结束。如果您已发送款项，请勿再次付款，商家可以看到。如果没有，请回到获得链接的地方。',
    },
  },
  hi: {
    open: {
      title: 'यह लिंक प्रोग्राम के लिए है',
      text: 'कोई प्रोग्राम या AI एजेंट इससे {merchant} को {amount} का पेमेंट कर सकता है (x402)। खुद पेमेंट करने के लिए वहाँ लौटें जहाँ से लिंक मिला था और पेमेंट का दूसरा तरीका चुनें।',
    },
    paid: {
      title: 'यह पेमेंट पूरा हो चुका है',
      text: '{merchant} को {amount} का पेमेंट हो गया है। अब कुछ करना बाकी नहीं है।',
    },
    ended: {
      title: 'इस लिंक से पेमेंट नहीं हो सकता',
      text: 'लिंक गलत है या बहुत पुराना है, या पेमेंट समाप्त हो चुका है। अगर आपने कुछ भेजा है, तो दोबारा पेमेंट न करें: दुकान को वह दिखता है। नहीं तो वहाँ लौटें जहाँ से लिंक मिला था।',
    },
  },
  ar: {
    open: {
      title: 'هذا الرابط مخصص للبرامج',
      text: 'يمكن لبرنامج أو وكيل ذكاء اصطناعي أن يدفع به {amount} إلى {merchant} (x402). لتدفع بنفسك، ارجع إلى المكان الذي حصلت منه على الرابط واختر طريقة دفع أخرى.',
    },
    paid: {
      title: 'اكتملت هذه الدفعة',
      text: 'تم دفع {amount} إلى {merchant}. لا يلزمك شيء آخر.',
    },
    ended: {
      title: 'لا يمكن الدفع بهذا الرابط',
      text: 'الرابط خاطئ أو قديم جدًا، أو انتهت الدفعة. إن كنت قد أرسلت شيئًا فلا تدفع مرة أخرى: يستطيع المتجر رؤيته. وإلا فارجع إلى المكان الذي حصلت منه على الرابط.',
    },
  },
  tr: {
    open: {
      title: 'Bu bağlantı programlar içindir',
      text: 'Bir program veya yapay zekâ aracısı bununla {amount} ödeyebilir (x402). Alıcı: {merchant}. Kendiniz ödemek için bağlantıyı aldığınız yere dönün ve başka bir ödeme yolu seçin.',
    },
    paid: {
      title: 'Bu ödeme tamamlandı',
      text: '{amount} ödendi. Alıcı: {merchant}. Yapmanız gereken başka bir şey yok.',
    },
    ended: {
      title: 'Bu bağlantıyla ödeme yapılamaz',
      text: 'Bağlantı yanlış ya da çok eski veya ödeme sona erdi. Bir şey gönderdiyseniz yeniden ödemeyin: Mağaza bunu görebilir. Göndermediyseniz bağlantıyı aldığınız yere dönün.',
    },
  },
} satisfies Record<string, typeof en>
