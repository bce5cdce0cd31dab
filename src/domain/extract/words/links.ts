import {readTable} from './phrases.js';

/*
 * What links are for, as their text or the words before them say. A phrase counts where a word begins with it, so that
 * stems are enough ("verif", "bestätig").
 */

/** The one step that the mail asks for. */
export const actionWords = readTable(`
en: verif, confirm, activat, reset, new password, change password, change your password, set password
en: set your password, choose a password, create password, create a password, magic link, accept
en: join, invitation, approve, unlock, finish, complete, get started, set up your account, validate, recover
en: authorize, authorise, restore, claim, continue, going?, rsvp, sign the, sign your, sign document, and sign
en: become, reactivate
de: bestätig, aktivier, zurücksetzen, passwort ändern, neues passwort, annehmen, beitreten, freischalten, verifizier
de: unterschreib, unterzeichn
fr: confirme, vérifi, activer, activez, réinitialis, accepte, rejoin, nouveau mot de passe, valide, signer
es: confirma, verifica, activa, restablec, acepta, unirse, únete, nueva contraseña, cambiar contraseña, firmar
it: conferma, verifica, attiva, reimposta, accetta, unisciti, nuova password, firma il
pt: ativa, redefin, aceita, nova senha, assinar
nl: bevestig, verifieer, activeer, herstel, accepteer, deelnemen, nieuw wachtwoord, wachtwoord instellen, onderteken
pl: potwierd, aktywuj, zresetuj, nowe hasło, akceptuj, dołącz, zweryfikuj, zmień hasło, ustaw hasło, podpisz
ru: подтверд, активир, сброс, принять, новый пароль, присоединиться, восстанов, сменить пароль, подписать
tr: doğrula, onayla, etkinleştir, sıfırla, kabul et, katıl, yeni şifre, aktifleştir, imzala
sv: bekräfta, verifiera, aktivera, återställ, acceptera, gå med, slutför
da: bekræft, aktiver, aktivér, nulstil, accepter, acceptér, deltag
nb: bekreft, tilbakestill, godta, bli med
fi: vahvista, aktivoi, nollaa, palauta salasana, hyväksy, liity
cs: potvrd, potvrz, ověř, aktivova, obnovit heslo, přijmout, připojit
hu: megerősít, aktivál, visszaállít, elfogad, csatlakoz
ro: confirmă, confirmați, verifică, activează, resetează, acceptă
uk: підтверд, активув, скинут, прийняти, приєднатися
el: επιβεβαί, ενεργοποί, επαναφορ, αποδοχ
vi: xác nhận, xác minh, kích hoạt, đặt lại, chấp nhận
id: konfirmasi, verifikasi, aktifkan, atur ulang, terima undangan
ar: تأكيد, تفعيل, إعادة تعيين, قبول
he: אישור, אימות, הפעל, איפוס
ja: 確認する, 認証, 有効化, 再設定, リセット, 参加, 承認, 承諾, 本登録, 登録を完了, メールアドレスを確認
ja: メールアドレスの確認
zh: 验证, 驗證, 激活, 重置, 重設, 接受, 加入, 确认, 確認
ko: 인증, 확인하기, 활성화, 재설정, 수락, 참여
`);

/** The way in, which mails also offer beside the step that they ask for. */
export const signInWords = readTable(`
en: sign in, log in
de: anmelden, einloggen
fr: se connecter, connectez-vous, connexion
es: iniciar sesión, inicia sesión, acceder
it: accedi
pt: entrar, iniciar sessão, acessar
nl: inloggen, log in
pl: zaloguj
ru: войти, войдите
tr: giriş yap, oturum aç
sv: logga in
da: log ind
nb: logg inn
fi: kirjaudu
cs: přihlásit
hu: bejelentkez
ro: autentific, conectează
uk: увійти
el: σύνδεση
vi: đăng nhập
id: masuk
ar: تسجيل الدخول
he: התחבר
ja: ログイン
zh: 登录, 登入
ko: 로그인
`);

/** What people may do next in a mail that asks for nothing. */
export const offerWords = readTable(`
en: view, track, check in, see, open, pay, download, review, shop, read, manage booking, order, start, rate
en: go to, update, upgrade, renew, set up, add, create, enable, try, give access, delete your, delete account, reply
de: ansehen, anzeigen, verfolgen, bezahlen, herunterladen, öffnen, jetzt
fr: voir, suivre, payer, télécharger, ouvrir, consulter
es: ver, seguir, pagar, descargar, abrir
it: vedi, visualizza, segui, paga, scarica, apri
pt: ver, acompanhar, pagar, baixar, abrir
nl: bekijk, volg, betaal, download, open
pl: zobacz, śledź, zapłać, pobierz, otwórz
ru: смотреть, посмотреть, отследить, оплатить, скачать, открыть
tr: görüntüle, aç
zh: 查看, 打开, 打開
ko: 보기, 보러
`);

/** Texts of links that only point: what they are for is said around them. */
export const pointingWords = readTable(`
en: here, click here, tap here, click this link, this link, link, click, click the link, this page
de: hier, hier klicken, diesen link, link, klicken sie hier, klick hier
fr: ici, cliquez ici, cliquer ici, ce lien, lien
es: aquí, haga clic, haz clic, haga clic aquí, haz clic aquí, este enlace, enlace
it: qui, clicca qui, questo link
pt: aqui, clique aqui, este link
nl: hier, klik hier, deze link
pl: tutaj, kliknij, kliknij tutaj, link
ru: здесь, нажмите, нажмите здесь, по ссылке, ссылка
tr: buraya, tıkla, tıklayın, buraya tıklayın
sv: här, klicka här
ja: こちら, こちらをクリック
zh: 此处, 这里, 這裡, 点击, 點擊, 点击这里, 點擊這裡
ko: 여기
`);

/** How to get no more of such mail. */
export const leaveWords = readTable(`
en: unsubscribe, opt out, preferences, email settings, notification settings
de: abmelden, abbestellen
fr: désabonner, se désabonner, désinscri, préférences
es: darse de baja, preferencias
it: disiscriv
pt: descadastr
nl: afmelden, uitschrijven
pl: wypisz, rezygn
ru: отписаться
tr: abonelikten
ja: 配信停止, 退会
zh: 退订, 退訂
ko: 수신거부
`);

/** What stands at the edge of a mail: settings, help, legal notices. */
export const edgeWords = readTable(`
en: settings, privacy, terms, legal, help, join our
en: support, contact, faq, imprint, view this email, view online, web version
en: in browser, in your browser, block, report abuse, report spam, about, what is, blog, careers, download on the, get it on, app store, google play, follow us
en: learn more, if you'd like, if you would like, not you, wasn't, did not, didn't, cancel, docs, documentation, home page, forward to a friend
en: powered by, advertise, decline, deny, ignore, report misuse, report abus, question, live chat, community, forum
de: datenschutz, impressum, agb, hilfe, kontakt, im browser, einstellungen, ablehnen
de: missbrauch, missbräuchlich, mehr erfahren, nutzungsbedingungen
fr: mentions légales, confidentialité, aide, contacter, navigateur
fr: refuser, signaler, nous contacter, conditions, en savoir plus
es: cancelar, privacidad, aviso legal, ayuda, contacto, navegador, rechazar
es: contactar, denunciar, saber más, condiciones
it: annulla, assistenza, rifiuta, privacy, contatta, segnala, scopri di più
pt: privacidade, ajuda, recusar, contato, denunciar, saiba mais
nl: privacybeleid, hulp, weigeren, misbruik, meer informatie
pl: polityka, pomoc, kontakt, skontaktuj, odrzuć, zgłoś, dowiedz się
ru: конфиденциальност, помощь, поддержк, отклонить, сообщить, свяжитесь, узнать больше
tr: gizlilik, yardım, destek, reddet, bize ulaşın, bildir
ja: ヘルプ, プライバシー, お問い合わせ, 報告, 利用規約
zh: 隐私, 隱私, 帮助, 幫助, 联系, 聯絡
ko: 개인정보, 고객센터, 도움말
`);

/** Names of sites and stores that a link at the edge of a mail bears alone. */
export const siteNames = readTable(`
any: x, twitter, facebook, instagram, linkedin, youtube, tiktok, pinterest, reddit, discord, slack, telegram, whatsapp
any: mastodon, bluesky, threads, medium, github, gitlab, app store, google play, play store, chrome, firefox, safari, edge
any: android, ios, android app, ios app, blog, website, homepage
`);
