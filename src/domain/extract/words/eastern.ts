import type {Words} from './columns.js';

/** Languages of East and Southeast Asia. */
export const eastern: Readonly<Record<string, Words>> = {
	ja: {
		code: 'コード, パスコード, 仮パスワード, 暗証',
		key: 'トークン',
		otp: `認証番号, 確認番号, ワンタイムパスワード, ワンタイムコード, 暗証番号, 認証キー, 確認キー, 認証用番号
			検証番号, ワンタイムパス, 使い捨てパスワード, ワンタイムpin`,
		verify: `認証, 確認, ログイン, サインイン, セキュリティ, 検証, アクセス, 有効化, 本人, 登録, 二段階, 2段階
			2要素, 二要素, ワンタイム, アクティベーション, リセット, 復旧`,
		about: 'パスワード, 有効, 分以内, 期限',
		number: '番号',
		thing: `クーポン, 割引, プロモーション, 郵便, 注文, 商品, エラー, 問い合わせ, 招待, バー, qr, 予約, 追跡, 伝票, 会員, 電話, 口座, ソース, 国, 受付, 請求書, ご注文, 紹介
			ギフト, 支店, 店舗, 顧客, お客様, 部屋, 型番, モデル, 資産, 機種, 問題, 障害, 社員, 学籍, 契約, 患者, 理由, 管理, 参照, 製品, 品目`,
		parcel: '追跡, 荷物',
		offer: '割引, クーポン, セール, 特典, プレゼント, ギフト',
		failure: 'エラー, 失敗',
		numbered: '電話, tel, 〒, 合計, 号室, バージョン',
		ref: `郵便番号, 注文番号, 〒, お問い合わせ番号, お問い合わせ, 伝票番号, 会員番号, 電話番号, 口座番号
			予約番号, 受付番号, 追跡番号, お客様番号, 請求書番号, 末尾, 下4桁`,
		is: 'は, が, です, を, として',
		enter: 'コピー, 貼り付け, 下記の, 使用, ご利用, 入力, 次の, 以下の',
		of: 'の',
		unit: '年, 月, 日, 分, 時, 秒, 円, 人, 件, 回, 桁, 文字, 点, ポイント, 個, 名, 号室, 階',
		password: 'パスワード',
		cart: 'カート, お支払い時, 購入手続き, チェックアウト, お支払いの際, 振込',
		here: 'こちら, こちらです, こちらになります',
	},
	zh: {
		code: '代码, 代碼, 口令, 临时密码, 臨時密碼, 编码, 驗證號碼',
		key: '編碼, 令牌, 權杖, 权杖',
		otp: `验证码, 驗證碼, 校验码, 校驗碼, 动态码, 動態碼, 动态密码, 動態密碼, 确认码, 確認碼, 一次性密码
			一次性密碼, 安全码, 安全碼, 激活码, 激活碼, 啟用碼, 登录码, 登入碼, 登錄碼, 识别码, 認證碼, 认证码
			授权码, 授權碼, 注册码, 註冊碼, 动态口令, 一次性代码, 一次性代碼, 一次性验证码, 一次性驗證碼, 通行碼
			单次密码, 單次密碼, 检验码, 驗證密碼, 验证密码, 配对码, 配對碼, 访问码, 存取碼, 恢复码, 重置码, 重設碼
			簡訊碼`,
		verify: `验证, 驗證, 登录, 登入, 登錄, 安全, 注册, 註冊, 确认, 確認, 认证, 認證, 激活, 啟用, 授权, 授權
			一次性, 保安, 重置, 重設, 访问, 存取, 身份, 身分, 双重, 雙重, 两步, 兩步`,
		about: '密码, 密碼, 有效, 分钟, 分鐘, 过期, 過期, 泄露, 洩漏, 帐号, 账号, 帳號, 帳戶, 账户',
		number: '号码, 號碼, 编号, 編號',
		thing: `优惠, 優惠, 折扣, 订单, 訂單, 运单, 運單, 快递, 邮政, 郵遞, 错误, 錯誤, 邀请, 邀請, 商品, 产品, 產品, 客户, 客戶, 电话, 電話, 手机, 手機, 跟踪, 追蹤, 追踪
			发票, 發票, 国家, 國家, 源, 原始, 区域, 區域, 状态, 狀態, 房间, 房間, 型号, 型號, 资产, 資產, 规格, 類別, 类别, 供应商, 问题, 問題, 故障
			会员, 會員, 员工, 員工, 学生, 學生, 合同, 课程, 課程, 用户, 用戶, 物料`,
		parcel: '包裹, 跟踪, 追踪, 追蹤, 快递, 快遞',
		offer: '优惠, 優惠, 折扣, 促销, 促銷, 礼品, 禮品, 红包, 代金券',
		failure: '错误, 錯誤, 失败, 失敗, 异常',
		numbered: '订单, 訂單, 电话, 電話, 编号, 編號, 手机, 手機, 房间, 版本, 合计, 共, 第, 尾号, 尾號',
		ref: `优惠码, 優惠碼, 优惠券, 優惠券, 折扣码, 折扣碼, 订单号, 訂單號, 訂單編號, 订单编号, 运单号, 快递单号
			邮编, 邮政编码, 郵遞區號, 取件码, 取件碼, 取货码, 提货码, 错误代码, 錯誤代碼, 邀请码, 邀請碼, 二维码
			二維碼, 条形码, 條碼, 条码, 兑换码, 兌換碼, 序列号, 序號, 发票号, 電話號碼, 电话号码, 手机号, 手機號碼
			卡号, 卡號, 账号, 帳號, 单号, 單號, 源代码, 区号, 區號, 推荐码, 推薦碼, 核销码, 券码, 备案, 尾号, 尾號, 末四位, 后四位, 後四碼, 末四碼`,
		is: '是, 为, 為, 如下',
		enter: '复制, 複製, 粘贴, 貼上, 键入, 鍵入, 下列, 下方, 如下, 输入, 輸入, 使用, 填写, 填寫, 请用, 請用, 以下',
		to: '以, 来, 來, 完成, 进行, 進行, 登录, 登入, 验证, 驗證, 继续, 繼續',
		of: '的',
		unit: `元, 时, 時, 年, 月, 日, 分, 秒, 人, 位, 个, 個, 天, 小时, 小時, 次, 号, 號, 件, 字, 积分, 點, 万, 楼
			室, 块`,
		password: '密码, 密碼',
		cart: '购物车, 購物車, 结账, 結帳, 结算, 結帳時, 付款时, 付款時, 转账时, 轉帳時',
		here: '这是, 這是, 在此',
	},
	ko: {
		code: '코드, 임시 비밀번호, 임시비밀번호, 패스코드, 토큰',
		otp: `인증번호, 인증 번호, 확인 번호, 확인번호, 일회용 비밀번호, 일회용비밀번호, 일회용 암호, 보안 번호
			보안번호, 핀번호, 핀 번호, 인증키, 일회용 패스워드, 본인확인번호, 인증숫자`,
		verify: `인증, 확인, 보안, 로그인, 가입, 본인, 일회용, 등록, 활성화, 검증, 액세스, 접속, 접근, 재설정, 2단계
			이중, 복구`,
		about: '비밀번호, 유효, 만료, 계정, 시간',
		number: '번호',
		thing: `할인, 쿠폰, 우편, 주문, 고객, 오류, 추천, qr, 상품, 제품, 운송장, 송장, 예약, 전화, 국가, 소스, 바, 초대, 회원, 계좌, 사업자, 접수, 배송, 프로모션, 지역
			에러, 방, 모델, 자산, 문제, 장애, 사원, 직원, 학번, 계약, 환자, 사유, 참조, 품목`,
		parcel: '택배, 배송 조회, 추적',
		offer: '할인, 쿠폰, 이벤트, 혜택, 프로모션, 선물',
		failure: '오류, 실패, 에러',
		numbered: '전화, tel, 주문, 합계, 버전, 객실',
		ref: `주문번호, 운송장, 우편번호, 고객센터, 사업자등록번호, 사업자 등록번호, 전화번호, 바코드, 예약번호
			송장번호, 쿠폰, 접수번호, 회원번호, 계좌번호, 통신판매업, 휴대폰 번호, 소스코드, 끝자리, 뒷자리`,
		is: '은, 는, 이, 가, 을, 를',
		enter: '복사, 붙여넣, 사용, 입력, 다음, 아래',
		unit: '시간, 년, 월, 일, 분, 원, 명, 개, 건, 초, 자리, 회, 점, 글자, 번, 층, 호, 포인트',
		password: '비밀번호, 암호',
		cart: '장바구니, 결제 시, 결제할 때, 입금할 때',
		here: '여기, 여기 있습니다',
	},
	th: {
		code: 'รหัส, โค้ด, รหัสผ่านชั่วคราว',
		key: 'โทเค็น',
		otp: 'รหัสยืนยัน, รหัสผ่านแบบใช้ครั้งเดียว, รหัสผ่านครั้งเดียว, รหัสผ่านใช้ครั้งเดียว, พาสโค้ด, หมายเลขยืนยัน, รหัสลับ',
		verify: `ยืนยัน, ตรวจสอบ, ความปลอดภัย, เข้าสู่ระบบ, เข้าใช้งาน, เข้าถึง, ล็อกอิน, ลงทะเบียน, เปิดใช้งาน, ครั้งเดียว, ตัวตน, กู้คืน
			รีเซ็ต, สมัคร, อ้างอิง otp`,
		about: 'รหัสผ่าน, หมดอายุ, นาที, บัญชี, เปิดเผย',
		number: 'หมายเลข, เลขที่, เลข',
		thing: `ส่วนลด, ไปรษณีย์, คำสั่งซื้อ, ลูกค้า, สินค้า, โปรโมชั่น, ข้อผิดพลาด, พัสดุ, การจอง, จอง, ใบแจ้งหนี้
			ประเทศ, คูปอง, อ้างอิง, ห้อง, แนะนำ, ติดตาม, สินทรัพย์, หมวดหมู่, ปัญหา
			สมาชิก, พนักงาน, นักเรียน, ผู้ป่วย, สัญญา, ผลิตภัณฑ์`,
		parcel: 'พัสดุ',
		offer: 'ส่วนลด, คูปอง, โปรโมชั่น, ของขวัญ',
		failure: 'ข้อผิดพลาด, ล้มเหลว',
		numbered: 'คำสั่งซื้อ, โทร, โทรศัพท์, ห้อง, ยอด, ราคา',
		ref: `รหัสไปรษณีย์, บาร์โค้ด, คิวอาร์โค้ด, หมายเลขโทรศัพท์, รหัสอ้างอิง, ซอร์สโค้ด, เลขพัสดุ, รหัสผ่าน
			ลงท้ายด้วย`,
		is: 'คือ, เป็น',
		enter: 'ใช้, กรอก, ป้อน, ใส่, โปรดป้อน, พิมพ์, ต่อไปนี้',
		to: 'เพื่อ, ใน, ที่',
		unit: 'นาที, ชั่วโมง, วัน, วินาที, บาท, หลัก, ปี, คน, ชิ้น, เดือน, แต้ม',
		password: 'รหัสผ่าน',
		cart: 'ตะกร้า, ชำระเงิน',
		here: 'นี่คือ, ที่นี่',
	},
	vi: {
		code: 'mã, mã số, mật khẩu tạm thời, mã code',
		otp: 'mật khẩu một lần, mật khẩu dùng một lần, mã pin, mật khẩu sử dụng một lần, số xác minh, số xác nhận',
		verify: `xác minh, xác nhận, xác thực, bảo mật, đăng nhập, truy cập, kích hoạt, đăng ký, một lần
			dùng một lần, khôi phục, tạm thời, đặt lại, hai yếu tố, hai bước, an toàn, kiểm tra`,
		about: 'mật khẩu, hết hạn, hiệu lực, phút, tài khoản, chia sẻ',
		number: 'số',
		thing: `giảm giá, khuyến mãi, khuyến mại, bưu chính, bưu điện, đơn hàng, lỗi, khách hàng, sản phẩm, theo dõi
			đặt chỗ, đặt phòng, hóa đơn, quốc gia, nguồn, vạch, ưu đãi, vận đơn, vùng, giới thiệu, quà tặng, phòng
			số thuế, thuế, vé, qr, mẫu, tài sản, danh mục, sự cố, vấn đề
			hội viên, thành viên, nhân viên, sinh viên, học sinh, bệnh nhân, hợp đồng, lý do, khóa học`,
		parcel: 'bưu kiện, vận đơn',
		offer: 'giảm giá, khuyến mãi, ưu đãi, quà tặng, voucher',
		failure: 'thất bại',
		numbered: 'đơn hàng, điện thoại, hóa đơn, phòng, số tiền, tầng, năm, hotline, đt',
		ref: 'mã vạch, số điện thoại, mã số thuế, mst, đuôi, có đuôi, kết thúc bằng, mã hàng, mã hàng hóa, mã đơn',
		is: 'là, làm',
		enter: 'nhập, sử dụng, dùng, hãy nhập, vui lòng nhập, điền, sau đây, dưới đây',
		to: 'để, vào, trên, cho',
		unit: 'phút, giờ, ngày, giây, đồng, đ, vnd, vnđ, chữ số, ký tự, người, năm, tháng, tuần, điểm',
		password: 'mật khẩu',
		cart: 'giỏ hàng, khi thanh toán, nội dung chuyển khoản',
		here: 'đây, đây là',
	},
	id: {
		code: '~kode, ~kodenya, kodemu, kode anda, kata sandi sementara',
		otp: 'kata sandi sekali pakai, sandi sekali pakai, nomor verifikasi, kata sandi satu kali, kode rahasia',
		verify: `verifikasi, memverifikasi, konfirmasi, mengonfirmasi, keamanan, masuk, login, akses, autentikasi
			otentikasi, otorisasi, aktivasi, aktifkan, mengaktifkan, sekali pakai, pendaftaran, pemulihan, sementara
			reset, dua langkah, dua faktor, identitas`,
		about: 'kata sandi, berlaku, kedaluwarsa, kadaluarsa, menit, akun, bagikan',
		number: 'nomor, no',
		thing: `diskon, promo, pos, pesanan, kesalahan, pelanggan, produk, pelacakan, lacak, resi, pemesanan, faktur
			negara, sumber, qr, referral, area, hadiah, kamar, barang, kupon, batang, undangan, eror, model, aset
			inventaris, kategori, masalah, insiden, gangguan
			anggota, karyawan, siswa, pasien, kontrak, alasan, kursus`,
		parcel: 'lacak, melacak',
		offer: 'diskon, promo, kupon, voucher, penawaran, hadiah, belanja',
		failure: 'kesalahan, gagal, galat',
		numbered: 'pesanan, telepon, telp, faktur, kamar, jumlah, lantai, tahun, rp',
		ref: `kodepos, npwp, nomor telepon, nomor pesanan, nomor resi
			berakhiran, yang berakhiran, berakhir dengan`,
		is: 'adalah, ialah, sebagai, yaitu, ini',
		enter: 'gunakan, masukkan, masukan, ketik, ketikkan, salin, berikut, silakan masukkan',
		to: 'untuk, di, pada, ke, agar',
		unit: 'menit, jam, hari, detik, digit, karakter, rupiah, bulan, tahun, orang, poin',
		password: 'kata sandi, sandi',
		cart: 'keranjang, saat checkout, saat pembayaran, saat membayar, ketika membayar',
		here: 'ini dia, berikut',
	},
	ms: {
		code: 'kod, kod anda, kodnya, kata laluan sementara',
		otp: 'kata laluan sekali guna, nombor pengesahan, kata laluan guna sekali, kata laluan satu kali',
		verify: `tetapan semula, set semula, tetapkan semula, pengesah, pengesahan, mengesahkan, sahkan, keselamatan, log masuk, daftar masuk, akses, pengaktifan, aktifkan
			sekali guna, pendaftaran, pemulihan, dua langkah, identiti`,
		about: 'kata laluan, luput, tamat, minit, akaun, kongsi',
		number: 'nombor',
		thing: `diskaun, promosi, poskod, pesanan, ralat, pelanggan, produk, penjejakan, tempahan, invois, negara
			sumber, baucar, kupon, bar, bilik, rujukan, masalah, insiden`,
		parcel: 'bungkusan, menjejak',
		offer: 'diskaun, promosi, kupon, baucar, tawaran',
		failure: 'ralat, gagal',
		numbered: 'pesanan, telefon, tel, invois, bilik, jumlah, tingkat, rm',
		ref: 'poskod, rujukan, berakhir dengan',
		is: 'ialah',
		enter: 'sila masukkan, taip, gunakan',
		to: 'untuk, di, pada, bagi',
		unit: 'minit, saat, aksara, ringgit, jam, hari',
		password: 'kata laluan',
		cart: 'troli, semasa pembayaran',
		here: 'ini dia, di sini',
	},
	fil: {
		otp: 'minsanang password, isang beses na password, pansamantalang password',
		verify: `pagkumpirma, pagpapatotoo, kumpirmah, patunay, i reset, beripika, beripikasyon, i verify, kumpirma, kumpirmasyon, seguridad, mag log in, pag log in
			mag sign in, minsanan, pag verify, pansamantala, pagpapatunay`,
		about: 'mag expire, balido, minuto, ibahagi, may bisa',
		thing: 'diskwento, kupon, koreo, numero ng order, problema, produkto',
		is: 'ay',
		enter: 'gamitin, gamitin ang, ilagay ang, ilagay, i enter, i type, ipasok',
		of: 'ng',
		to: 'para, sa, upang',
		unit: 'minuto, oras, araw, segundo',
		password: 'password',
		cart: 'sa pag checkout, iyong cart',
		here: 'narito, heto, ito',
		code: 'kodigo',
	},
};
